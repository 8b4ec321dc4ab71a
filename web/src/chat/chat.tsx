import { PanelRight, ScrollText } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { AppList, ListedRun } from '../../../src/client/client.ts';
import { useConversation, useRun, useSource, useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { isAway } from '../server.ts';
import { choice, useSetting } from '../setting.ts';
import { ConnectionPill } from '../shell/connection-pill.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { Boundary } from '../shell/boundary.tsx';
import { Bones, Failed } from '../shell/states.tsx';
import { useTitle } from '../shell/title.ts';
import { useTexts } from '../texts/texts.ts';
import { useNarrow } from '../use-narrow.ts';
import { Composer, protocol as chosenProtocol } from './composer.tsx';
import { Thinking } from './run-card.tsx';
import { RunPanel } from './run-panel.tsx';
import { summaryOf } from './summary.ts';
import { Turn } from './turn.tsx';
import { isUnfinished, useSending, type Sending } from './use-sending.ts';
import { useDocuments } from './use-documents.ts';
import { useFiles } from './use-files.ts';
import { useFollow, type Follow } from './use-follow.ts';
import { useTree } from './use-tree.ts';
import { VerbositySwitch } from './verbosity-switch.tsx';
import { QueuedMessages, Unsent } from './waiting-messages.tsx';
import { Welcome } from './welcome.tsx';

const panel = choice('panel', ['open', 'closed']);
const noConversation = '';
/** So many turns are watched at once; those before them when somebody comes near. */
const watchedTurns = 4;

/** Ask, watch, step in, ask on. */
export function Chat({
  conversation,
  sought,
  withApp,
}: {
  readonly conversation?: string | undefined;
  readonly sought?: string | undefined;
  /** Whom a new conversation is with. */
  readonly withApp?: string | undefined;
}): ReactNode {
  const t = useTexts();
  const { is, runs, failure } = useConversation(conversation ?? noConversation);
  const newest = runs.at(-1);
  const { isOpen, set } = usePanel();
  const isPanelOpen = isOpen && newest !== undefined;
  const title = newest === undefined ? t.chat.newTitle : visible(newest.title);
  useTitle(conversation === undefined ? t.chat.title : title);
  return (
    <div className={isPanelOpen ? 'chat with-panel' : 'chat'}>
      <main className="screen" id="main">
        <ChatBar title={title} newest={newest?.run} openPanel={isPanelOpen ? undefined : () => set(true)} />
        {is === 'refused' && runs.length === 0 && conversation !== undefined ? (
          <div className="p-8">
            <Failed failure={failure} />
          </div>
        ) : (
          <Talk
            conversation={conversation}
            runs={conversation === undefined ? [] : runs}
            isLoading={conversation !== undefined && is === 'loading' && runs.length === 0}
            sought={sought}
            withApp={withApp}
          />
        )}
      </main>
      {isPanelOpen && <RunPanel run={newest.run} close={() => set(false)} />}
    </div>
  );
}

/** Beside the chat it is as it was left. Where it lies over the chat it comes when somebody asks, and goes with Escape. */
function usePanel(): { readonly isOpen: boolean; readonly set: (isOpen: boolean) => void } {
  const isOver = useNarrow('beside');
  const kept = useSetting(panel);
  const [isAsked, ask] = useState(false);
  useEffect(() => {
    if (!isOver || !isAsked) return undefined;
    const hear = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      ask(false);
    };
    addEventListener('keydown', hear, { capture: true });
    return () => removeEventListener('keydown', hear, { capture: true });
  }, [isOver, isAsked]);
  return isOver
    ? { isOpen: isAsked, set: ask }
    : { isOpen: kept === 'open', set: (isOpen) => panel.set(isOpen ? 'open' : 'closed') };
}

function ChatBar({
  title,
  newest,
  openPanel,
}: {
  readonly title: string;
  readonly newest: string | undefined;
  readonly openPanel: (() => void) | undefined;
}): ReactNode {
  const t = useTexts();
  return (
    <div className="bar">
      <MenuButton />
      <h1 className="cut">{title}</h1>
      {newest !== undefined && <ScriptedBadge run={newest} />}
      <span className="grow" />
      {newest !== undefined && <VerbositySwitch />}
      {newest === undefined ? <ConnectionPill /> : <NewestPill run={newest} />}
      {newest !== undefined && openPanel && (
        <button
          type="button"
          className="button ghost small square"
          aria-label={t.run.openPanel}
          onClick={openPanel}
        >
          <PanelRight className="icon" aria-hidden />
        </button>
      )}
    </div>
  );
}

function NewestPill({ run }: { readonly run: string }): ReactNode {
  return <ConnectionPill run={useRun(run)} />;
}

/** Says where answers are rules and no model. */
function ScriptedBadge({ run }: { readonly run: string }): ReactNode {
  const t = useTexts();
  const tree = useTree(useRun(run));
  if (!summaryOf(tree).isScripted) return undefined;
  return (
    <span className="scripted" title={t.chat.scriptedWhy}>
      <ScrollText className="icon small" aria-hidden />
      {t.chat.scripted}
    </span>
  );
}

interface TalkProps {
  readonly conversation: string | undefined;
  readonly runs: readonly ListedRun[];
  readonly isLoading: boolean;
  readonly sought: string | undefined;
  readonly withApp: string | undefined;
}

function Talk({ conversation, runs, isLoading, sought, withApp }: TalkProps): ReactNode {
  const t = useTexts();
  const { apps, app, setApp } = useApps(runs, withApp);
  const protocol = useSetting(chosenProtocol);
  const chosen = apps?.apps.find(({ name }) => name === app);
  const attached = useFiles();
  const documents = useDocuments(conversation, chosen?.uploads === true);
  const files = chosen?.uploads === true ? documents : attached;
  const begins = conversation ?? documents.conversation;
  const sending = useSending({ conversation, begins, runs, isLoading, app, protocol });
  const place = useRef<HTMLElement>(null);
  const countSteps = useCallback(() => place.current?.querySelectorAll('[data-step]').length ?? 0, []);
  const working = runs.findLast(({ status }) => isUnfinished(status));
  const follow = useFollow(countSteps, working !== undefined || sending.pending !== undefined);
  useLastTurn(follow.content, runs.at(-1)?.run, sought !== undefined);
  const isEmpty =
    runs.length === 0 && sending.pending === undefined && sending.unsent === undefined && !isLoading;
  return (
    <>
      <section className="thread" ref={follow.box} aria-label={t.chat.title} tabIndex={-1}>
        <div className="thread-content" ref={follow.content}>
          {isLoading && sending.pending === undefined && <Bones />}
          {isEmpty && conversation !== undefined && <p className="quiet">{t.chat.notThere}</p>}
          {isEmpty && <Welcome apps={apps} app={app} ask={(text) => sending.send(text, [])} />}
          <Turns runs={runs} sought={sought} sending={sending} place={place} />
          <QueuedMessages sending={sending} />
        </div>
      </section>
      <div className="dock">
        <DockNotes follow={follow} />
        <Composer
          {...{ apps, app, setApp, protocol, working, files }}
          send={(text, attachments) => {
            follow.toEnd();
            sending.send(text, attachments);
          }}
        />
        {chosen?.disclaimer !== undefined && <p className="disclaimer quiet">{visible(chosen.disclaimer)}</p>}
      </div>
    </>
  );
}

/** What was asked so far, and what was sent and is not in the list yet. */
function Turns({
  runs,
  sought,
  sending,
  place,
}: Pick<TalkProps, 'runs' | 'sought'> & {
  readonly sending: Sending;
  readonly place: RefObject<HTMLElement | null>;
}): ReactNode {
  const t = useTexts();
  const [soughtRun, soughtStep] = sought?.split('.') ?? [];
  return (
    <section ref={place} aria-label={t.conversations.title}>
      {runs.map((listed, i) => (
        <Boundary key={listed.run} shown={() => <Undrawn run={listed.run} />}>
          <Turn
            listed={listed}
            sought={listed.run === soughtRun ? Number(soughtStep) : undefined}
            isNear={i >= runs.length - watchedTurns || listed.run === soughtRun}
            again={sending.again}
          />
        </Boundary>
      ))}
      {sending.pending !== undefined && (
        <article className="turn">
          <p className="said">{visible(sending.pending)}</p>
          <Thinking />
        </article>
      )}
      <Unsent sending={sending} />
    </section>
  );
}

function Undrawn({ run }: { readonly run: string }): ReactNode {
  const t = useTexts();
  return (
    <article className="turn" data-undrawn={run}>
      <Failed failure={{ code: 'internal', message: t.states.cannotDraw }} />
    </article>
  );
}

/** Above the composer: that there is more below, and that the server is away. */
function DockNotes({ follow: { missed, toEnd } }: { readonly follow: Follow }): ReactNode {
  const t = useTexts();
  const away = useSource(isAway);
  return (
    <>
      {missed > 0 && (
        <button type="button" className="button small to-end" onClick={toEnd}>
          {t.chat.newSteps(missed)} ↓
        </button>
      )}
      {away && (
        <p className="away-note" role="status">
          {t.connection.awayNote}
        </p>
      )}
    </>
  );
}

/** Whoever opens a conversation that has ended begins to read at its last question. */
function useLastTurn(
  content: RefObject<HTMLDivElement | null>,
  newest: string | undefined,
  isSought: boolean,
): void {
  const isDone = useRef(isSought);
  useEffect(() => {
    if (newest === undefined || isDone.current) return;
    isDone.current = true;
    const turn = content.current?.querySelector(`[data-turn="${CSS.escape(newest)}"]`);
    const settle = setTimeout(() => turn?.scrollIntoView({ block: 'start' }), 250);
    turn?.scrollIntoView({ block: 'start' });
    return () => clearTimeout(settle);
  }, [content, newest]);
}

function useApps(
  runs: readonly ListedRun[],
  withApp: string | undefined,
): {
  readonly apps: AppList | undefined;
  readonly app: string | undefined;
  readonly setApp: (app: string) => void;
} {
  const client = useVitrine();
  const [apps, setApps] = useState<AppList>();
  const [chosen, setApp] = useState<string>();
  useEffect(() => {
    client.apps().then(setApps, () => undefined);
  }, [client]);
  // An app that is gone cannot be asked on.
  const last = apps?.apps.find(({ name }) => name === runs.at(-1)?.app)?.name;
  return { apps, app: chosen ?? withApp ?? last ?? apps?.defaultApp ?? apps?.apps[0]?.name, setApp };
}
