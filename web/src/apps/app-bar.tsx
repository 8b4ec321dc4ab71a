import { ArrowLeft, MessageSquare } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { RunError } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import type { AppDraft } from '../../../src/wire/native/apps.ts';
import { EditTurns, SavedWords } from '../editing/edit-bar.tsx';
import { addressOf, Link, navigate } from '../routing.tsx';
import { announce } from '../shell/announce.tsx';
import { MenuButton } from '../shell/shell.tsx';
import { useAppTexts } from '../texts/app-texts.ts';
import { useDesk } from './app-desk.ts';

/** What it is, how it is kept, and what can be done with it. */
export function AppBar({ standing, moved, title }: MovesProps): ReactNode {
  const a = useAppTexts();
  const { name, editing, saving, isReadOnly } = useDesk();
  return (
    <div className="bar">
      <MenuButton />
      <Link to={addressOf.apps} className="button ghost small square" aria-label={a.back}>
        <ArrowLeft className="icon" aria-hidden />
      </Link>
      <h1 className="cut">{visible(title)}</h1>
      <span className="app-tag" data-state={standing.state}>
        {a.states[standing.state]}
      </span>
      {isReadOnly ? (
        <span className="quiet cut wide-only">{a.readOnly}</span>
      ) : (
        <SavedWords saving={saving} unchanged={a.version(standing.version)} />
      )}
      <span className="grow" />
      {!isReadOnly && <EditTurns editing={editing} />}
      {standing.state === 'published' && (
        <Link to={addressOf.appChat(name)} className="button small" data-to-chat>
          <MessageSquare className="icon small" aria-hidden />
          {a.chat}
        </Link>
      )}
      {isReadOnly ? <Clone title={title} /> : <Moves {...{ standing, moved, title }} />}
    </div>
  );
}

function Clone({ title }: { readonly title: string }): ReactNode {
  const a = useAppTexts();
  const { applications } = useVitrine();
  const { name } = useDesk();
  const clone = async (): Promise<void> => {
    const made = await applications.clone(name, a.copyOf(title));
    navigate(addressOf.app(made.name));
  };
  return (
    <button type="button" className="button small primary" onClick={() => void clone()} data-clone>
      {a.clone}
    </button>
  );
}

/** How an application stands with people. */
export type Standing = Pick<AppDraft, 'state' | 'version'>;

interface MovesProps {
  readonly standing: Standing;
  readonly moved: (standing: AppDraft) => void;
  readonly title: string;
}

type Ask = () => Promise<AppDraft | undefined>;
type Move = (ask: Ask, words: (now: AppDraft) => string) => Promise<void>;

/** Have an app moved, and say what came of it. */
function useMove(moved: MovesProps['moved']): { readonly move: Move; readonly said: string } {
  const a = useAppTexts();
  const [said, setSaid] = useState('');
  const move: Move = async (ask, words) => {
    try {
      const now = await ask();
      if (!now) return;
      moved(now);
      setSaid(words(now));
      announce(words(now));
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      setSaid(`${a.publish.failed} ${thrown.failure.message}`);
    }
  };
  return { move, said };
}

/** Publish waits for what is missing, and for what is written to be saved. */
function Moves({ standing, moved, title }: MovesProps): ReactNode {
  const a = useAppTexts();
  const { applications } = useVitrine();
  const { name, keeper, lacks, problems } = useDesk();
  const { move, said } = useMove(moved);
  const missing = lacks.length + problems.length;
  const publish = async (): Promise<AppDraft | undefined> =>
    (await keeper.flush()) ? applications.publish(name, keeper.getSnapshot().revision) : undefined;
  return (
    <>
      {standing.state === 'published' && (
        <button
          type="button"
          className="button small wide-only"
          onClick={() =>
            void move(
              () => applications.archive(name),
              () => a.archived(title),
            )
          }
          data-archive
        >
          {a.archive}
        </button>
      )}
      <button
        type="button"
        className="button small primary"
        disabled={missing > 0}
        title={missing > 0 ? a.publish.waits(missing) : undefined}
        onClick={() => void move(publish, ({ version }) => a.publish.done(version))}
        data-publish
      >
        {a.publish.go}
      </button>
      {said !== '' && (
        <span className="published" role="status" data-published>
          {visible(said)}
        </span>
      )}
    </>
  );
}
