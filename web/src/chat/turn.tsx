import { Copy, ListTree, RefreshCw } from 'lucide-react';
import { memo, useEffect, useRef, useState, type ReactNode } from 'react';
import type { ListedRun, RunStore } from '../../../src/client/client.ts';
import { useRun } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { isBlobRef } from '../../../src/run/values.ts';
import { FileChip } from '../data/attachment.tsx';
import { addressOf, Link } from '../routing.tsx';
import { useSetting } from '../setting.ts';
import { Hindered } from '../steps/hindered.tsx';
import { verbosity } from '../steps/run-view.tsx';
import { useTexts } from '../texts/texts.ts';
import { Answer } from './answer.tsx';
import { AskedNotes, SaidNotes } from './guard-notes.tsx';
import { RunCard, Thinking } from './run-card.tsx';
import { beginningOf } from './summary.ts';
import { useTree } from './use-tree.ts';

const everything = { stages: 'nested', names: '*', depth: '*' } as const;
const asPreferred = {};

interface TurnProps {
  readonly listed: ListedRun;
  readonly sought?: number | undefined;
  /** Runs far above what is read are not watched until somebody comes near. */
  readonly isNear: boolean;
  readonly again: (run: string) => void;
}

/** What was asked, how it was worked on, and what came of it. */
export const Turn = memo(function Turn(props: TurnProps): ReactNode {
  const place = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(props.isNear);
  useEffect(() => {
    const { current } = place;
    if (isNear || !current) return undefined;
    const looking = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && setNear(true), {
      rootMargin: '800px',
    });
    looking.observe(current);
    return () => looking.disconnect();
  }, [isNear]);
  return (
    <article className="turn" ref={place} data-turn={props.listed.run}>
      {isNear ? <Watched {...props} /> : <p className="said">{visible(props.listed.title)}</p>}
    </article>
  );
});

function Watched({ listed, sought, again }: TurnProps): ReactNode {
  const level = useSetting(verbosity);
  const run = useRun(listed.run, level === 'everything' ? everything : asPreferred);
  const tree = useTree(run);
  return (
    <>
      <Said run={run} title={listed.title} />
      <AskedNotes tree={tree} />
      {tree.seq === 0 ? (
        <Thinking />
      ) : (
        <RunCard
          {...{ run, tree, sought }}
          conversation={listed.conversation}
          isLost={
            listed.damaged !== undefined || (listed.stranded !== undefined && tree.status === 'running')
          }
        />
      )}
      <Hindered stranded={listed.stranded} damaged={listed.damaged} />
      <Answer run={run} tree={tree} />
      <SaidNotes tree={tree} />
      {tree.failure && tree.status === 'failed' && (
        <Failure message={untold(tree.failure.message, tree.answer)} again={() => again(listed.run)} />
      )}
      {tree.endedAt !== undefined && tree.status !== 'failed' && (
        <Acts run={run} answer={tree.answer} again={() => again(listed.run)} />
      )}
    </>
  );
}

/** What an answer says already is not said again. */
function untold(message: string, answer: unknown): string {
  return typeof answer === 'string' && answer.includes(message) ? '' : message;
}

/** The question, whole, with what came with it. */
function Said({ run, title }: { readonly run: RunStore; readonly title: string }): ReactNode {
  const given = beginningOf(run.entries())?.input;
  const text = given === undefined || isBlobRef(given.text) ? title : given.text;
  return (
    <div className="said">
      {visible(text)}
      {given?.attachments && (
        <div className="chips">
          {given.attachments.map((file, i) => (
            <FileChip key={i} file={file} />
          ))}
        </div>
      )}
    </div>
  );
}

function Failure({ message, again }: { readonly message: string; readonly again: () => void }): ReactNode {
  const t = useTexts();
  return (
    <div className="fail run-failure" role="alert">
      <span className="grow">
        {t.run.failed} {visible(message)}
      </span>
      <button type="button" className="button small" onClick={again}>
        <RefreshCw className="icon small" aria-hidden />
        {t.chat.tryAgain}
      </button>
    </div>
  );
}

function Acts({
  run,
  answer,
  again,
}: {
  readonly run: RunStore;
  readonly answer: unknown;
  readonly again: () => void;
}): ReactNode {
  const t = useTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(String(answer)).then(() => setCopied(true));
  };
  return (
    <div className="acts">
      {typeof answer === 'string' && (
        <button type="button" className="button ghost small" onClick={copy}>
          <Copy className="icon small" aria-hidden />
          {isCopied ? t.chat.copied : t.chat.copy}
        </button>
      )}
      <button type="button" className="button ghost small" onClick={again}>
        <RefreshCw className="icon small" aria-hidden />
        {t.chat.regenerate}
      </button>
      <Link to={addressOf.run(run.run)} className="button ghost small">
        <ListTree className="icon small" aria-hidden />
        {t.chat.openTrace}
      </Link>
    </div>
  );
}
