import { X } from 'lucide-react';
import { useContext, useMemo, useState, type ReactNode } from 'react';
import type { FlatStep, FlatTree, RunStore } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import { RunCard } from '../chat/run-card.tsx';
import { beginningOf } from '../chat/summary.ts';
import { formatIn } from '../format.ts';
import { Markdown } from '../markdown.tsx';
import { isBlobRef } from '../../../src/run/values.ts';
import { AgentMark } from '../steps/agent-mark.tsx';
import { Folding, RunViewContext, type RunView } from '../steps/run-view.tsx';
import { shownStatus } from '../steps/shown-status.ts';
import { StatusMark } from '../steps/status-mark.tsx';
import { StepBody } from '../steps/step-body.tsx';
import { isTool } from '../steps/words.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { stepsBelow } from './below.ts';
import { EventList } from './event-list.tsx';
import { Frames } from './frames.tsx';
import { RecordedContext } from './recorded.ts';
import { PromptView } from './prompt-view.tsx';
import { StateView } from './state-view.tsx';
import type { StepTimes } from './timing.ts';
import type { Replay } from './use-replay.ts';

export interface Inspecting {
  readonly run: RunStore;
  readonly tree: FlatTree;
  /** The step; the run itself where there is none. */
  readonly step: FlatStep | undefined;
  readonly times: StepTimes | undefined;
  readonly at: number | undefined;
  readonly replay: Replay;
  readonly choose: (id: number) => void;
  readonly close: () => void;
}

/** As many steps as stand in the inspector: whoever goes to another moment has all of them drawn anew. */
const chatRows = 12;
const tabs = ['step', 'prompt', 'state', 'events', 'frames'] as const;
type Tab = (typeof tabs)[number];

function statusIn(tree: FlatTree, step: FlatStep): FlatStep['status'] {
  return shownStatus(step, (id) => stepsBelow(tree).get(id) ?? []);
}

/** All that is known of what is chosen. */
export function Inspector(inspecting: Inspecting): ReactNode {
  const { run, tree, step, at, replay, close } = inspecting;
  const t = useTexts();
  const [tab, setTab] = useState<Tab>('step');
  const status = step ? statusIn(tree, step) : tree.status;
  return (
    <aside className="inspector" aria-label={t.trace.inspector}>
      <header>
        <div className="inspector-line">
          <span className={`state-word ${status}`}>
            <StatusMark status={status} />
            {t.status[status]}
          </span>
          <span className="grow" />
          <span className="quiet num">{step ? t.step.jump(step.id) : `#${tree.seq}`}</span>
          <button
            type="button"
            className="button ghost small square inspector-close"
            aria-label={t.data.close}
            onClick={close}
          >
            <X className="icon" aria-hidden />
          </button>
        </div>
        <h2 className={step && isTool(step) ? 'mono' : ''}>{visible(step?.title ?? tree.title)}</h2>
        <Tabs tab={tab} setTab={setTab} isRun={!step} />
      </header>
      <div className="inspector-content" tabIndex={0} role="group" aria-label={t.trace.tabs[tab]}>
        {tab === 'step' && (step ? <StepView {...inspecting} step={step} /> : <ChatView {...inspecting} />)}
        {tab === 'prompt' && <PromptView key={step?.id} tree={tree} step={step} />}
        {tab === 'state' && <StateView key={step?.id} run={run} tree={tree} step={step} />}
        {tab === 'events' && (
          <EventList run={run} step={step?.id ?? 0} at={at ?? tree.seq} seek={replay.seek} />
        )}
        {tab === 'frames' && <Frames run={run} />}
      </div>
    </aside>
  );
}

interface Choosing {
  readonly tab: Tab;
  readonly setTab: (tab: Tab) => void;
  readonly isRun: boolean;
}

function Tabs({ tab, setTab, isRun }: Choosing): ReactNode {
  const t = useTexts();
  return (
    <div className="segments" role="group" aria-label={t.trace.inspector}>
      {tabs.map((one) => (
        <button key={one} type="button" aria-pressed={tab === one} onClick={() => setTab(one)} data-tab={one}>
          {one === 'step' && isRun ? t.trace.tabs.chat : t.trace.tabs[one]}
        </button>
      ))}
    </div>
  );
}

/** What a step was given, what it did and what came of it. */
function StepView({
  run,
  tree,
  step,
  times,
  at,
  choose,
}: Inspecting & { readonly step: FlatStep }): ReactNode {
  const conversation = beginningOf(run.entries())?.conversation ?? '';
  const isPast = useIsPast(at);
  const folding = useMemo(() => new Folding(), []);
  const view: RunView = useMemo(
    () => ({ run, conversation, folding, verbosity: 'everything', rows: chatRows, goTo: choose }),
    [run, conversation, folding, choose],
  );
  return (
    <RunViewContext value={view}>
      <Facts tree={tree} step={step} times={times} choose={choose} />
      {/* What was asked then cannot be answered now. */}
      <div inert={isPast && step.status === 'waiting'} className="inspector-body">
        <StepBody
          merged={{ step, said: step, below: step.id, hasBelow: false }}
          status={statusIn(tree, step)}
        />
      </div>
    </RunViewContext>
  );
}

function Facts({
  tree,
  step,
  times,
  choose,
}: Pick<Inspecting, 'tree' | 'times' | 'choose'> & { readonly step: FlatStep }): ReactNode {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const { agent, model, attempt, usage, openedAt, milliseconds, reusedFrom, origin } = step;
  const first =
    times?.first !== undefined && times.started !== undefined ? times.first - times.started : undefined;
  const waited = tree.approvals
    .filter((one) => one.step === step.id && one.decidedAt !== undefined)
    .reduce((sum, { requestedAt, decidedAt = requestedAt }) => sum + decidedAt - requestedAt, 0);
  const facts: readonly NamedFact[] = [
    [t.trace.facts.agent, agent === undefined ? undefined : <Agent agent={agent} title={step.title} />],
    [t.trace.facts.model, model === undefined ? undefined : visible(model)],
    [t.trace.facts.began, openedAt === undefined ? undefined : format.dateTime(openedAt)],
    [t.trace.facts.took, milliseconds === undefined ? undefined : format.duration(milliseconds)],
    [t.trace.facts.first, first === undefined || step.kind !== 'turn' ? undefined : format.duration(first)],
    [t.trace.facts.waited, waited === 0 ? undefined : format.duration(waited)],
    [
      t.run.tokens,
      usage === undefined
        ? undefined
        : t.trace.facts.tokens(format.count(usage.input), format.count(usage.output)),
    ],
    [t.trace.cost, usage?.cost === undefined ? undefined : format.cost(usage.cost)],
    [t.trace.facts.attempt, attempt > 1 ? attempt : undefined],
    [t.trace.facts.origin, origin === undefined ? undefined : visible(origin)],
    [
      t.trace.facts.same,
      reusedFrom === undefined ? undefined : (
        <button type="button" className="linkish" onClick={() => choose(reusedFrom)}>
          {t.step.jump(reusedFrom)}
        </button>
      ),
    ],
  ];
  return <FactList facts={facts} />;
}

type NamedFact = readonly [name: string, value: ReactNode];

function FactList({ facts }: { readonly facts: readonly NamedFact[] }): ReactNode {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div className="contents" key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Agent({ agent, title }: { readonly agent: string; readonly title: string }): ReactNode {
  return (
    <span className="facts-agent">
      <AgentMark agent={agent} title={title} />
      {visible(agent)}
    </span>
  );
}

/** Whether nothing of what is shown can be answered any more. */
function useIsPast(at: number | undefined): boolean {
  return useContext(RecordedContext) !== undefined || at !== undefined;
}

/** The run as the chat has it, at the same moment. */
function ChatView({ run, tree, at }: Inspecting): ReactNode {
  const beginning = beginningOf(run.entries());
  const asked = beginning?.input.text;
  const isPast = useIsPast(at);
  const { answer } = tree;
  return (
    <div className="trace-chat" inert={isPast} data-chat>
      {asked !== undefined && (
        <p className="trace-asked">{visible(isBlobRef(asked) ? (asked.preview ?? '') : asked)}</p>
      )}
      <RunCard run={run} conversation={beginning?.conversation ?? ''} tree={tree} rows={chatRows} />
      {answer !== null && <Markdown text={isBlobRef(answer) ? (answer.preview ?? '') : answer} />}
    </div>
  );
}
