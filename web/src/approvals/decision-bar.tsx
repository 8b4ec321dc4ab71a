import { Menu } from '@base-ui/react/menu';
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { FlatApproval } from '../../../src/client/client.ts';
import { useSource, type Question } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { isAway } from '../server.ts';
import { announce } from '../shell/announce.tsx';
import { useTexts } from '../texts/texts.ts';
import type { Draft } from './draft.ts';
import { modEnter } from './keys.ts';

export interface Deciding {
  readonly approval: FlatApproval;
  readonly question: Question;
  readonly draft: Draft;
  readonly mode: 'look' | 'edit' | 'reject';
  readonly setMode: (mode: Deciding['mode']) => void;
  /** Whether all of it was on the screen. */
  readonly isShown: boolean;
}

const hour = 3_600_000;
const laters = { hour, tonight: 4 * hour, tomorrow: 24 * hour } as const;

/** What can be made of a question. While the server is away nothing can. */
export function DecisionBar(deciding: Deciding): ReactNode {
  const t = useTexts();
  const away = useSource(isAway);
  const { question, mode } = deciding;
  const buttons = useFocusKept(mode);
  return (
    <>
      {question.refused && (
        <p className="problem" role="alert">
          {visible(question.refused.message)}
        </p>
      )}
      {away && <p className="quiet">{t.approval.offline}</p>}
      {mode === 'reject' ? (
        <Rejecting {...deciding} isHeld={away} />
      ) : (
        <div className="decide" ref={buttons}>
          <Approving {...deciding} isHeld={away} />
          <Others {...deciding} isHeld={away} />
        </div>
      )}
    </>
  );
}

/** Whoever comes back from the form or from the reason stands where they left, and not at the top of the page. */
function useFocusKept(mode: Deciding['mode']): RefObject<HTMLDivElement | null> {
  const buttons = useRef<HTMLDivElement>(null);
  const before = useRef(mode);
  useEffect(() => {
    const from = before.current;
    before.current = mode;
    if (mode !== 'look' || from === 'look' || document.activeElement !== document.body) return;
    buttons.current?.querySelector<HTMLElement>(`[data-decide=${from}]`)?.focus();
  }, [mode]);
  return buttons;
}

type Held = Deciding & { readonly isHeld: boolean };

/** Agrees to what is shown, or to what was made of it. */
export async function approve({
  approval,
  question,
  draft,
  mode,
}: Omit<Deciding, 'setMode' | 'isShown'>): Promise<boolean> {
  if (mode === 'edit') return question.decide({ decision: 'edit', arguments: draft.value });
  const isAnswer = question.whole?.arguments === undefined && approval.schema !== undefined;
  return question.decide({ decision: 'approve', ...(isAnswer ? { answer: draft.value } : {}) });
}

export function mayApprove({ approval, question, draft, mode, isShown }: Omit<Deciding, 'setMode'>): boolean {
  if (!question.whole || question.isDeciding || !isShown || draft.isWrong) return false;
  return mode === 'edit' ? draft.changes > 0 : approval.allowed.includes('approve');
}

function Approving(held: Held): ReactNode {
  const t = useTexts();
  const { approval, draft, mode, isHeld } = held;
  if (mode !== 'edit' && !approval.allowed.includes('approve')) return undefined;
  return (
    <button
      type="button"
      className="button primary"
      disabled={isHeld || !mayApprove(held)}
      onClick={() => void approve(held)}
      data-decide="approve"
    >
      {mode === 'edit' ? t.approval.approveChanges(draft.changes) : t.approval.approve}
      <kbd>{mode === 'edit' ? modEnter : 'A'}</kbd>
    </button>
  );
}

function Others({ approval, question, draft, mode, setMode, isHeld }: Held): ReactNode {
  const t = useTexts();
  const { allowed } = approval;
  const isBusy = isHeld || question.isDeciding;
  const canEdit = allowed.includes('edit') && question.whole?.arguments !== undefined;
  const back = (): void => {
    draft.reset();
    setMode('look');
  };
  return (
    <>
      {mode === 'edit' && (
        <button type="button" className="button" onClick={back}>
          {t.approval.back}
        </button>
      )}
      {mode === 'edit' && <Redoing {...{ approval, question, draft }} isHeld={isBusy} />}
      {mode === 'look' && canEdit && (
        <button
          type="button"
          className="button"
          disabled={isBusy}
          onClick={() => setMode('edit')}
          data-decide="edit"
        >
          {t.approval.edit} <kbd>E</kbd>
        </button>
      )}
      {allowed.includes('reject') && (
        <button
          type="button"
          className="button"
          disabled={isBusy}
          onClick={() => setMode('reject')}
          data-decide="reject"
        >
          {t.approval.reject} <kbd>R</kbd>
        </button>
      )}
      <span className="grow" />
      {allowed.includes('defer') && <Later question={question} isHeld={isBusy} />}
    </>
  );
}

/** What was before the question is done again with what was written, and it is asked once more. */
function Redoing({
  approval: { redo = [] },
  question,
  draft,
  isHeld,
}: Pick<Held, 'approval' | 'question' | 'draft' | 'isHeld'>): ReactNode {
  const t = useTexts();
  return redo.map((node) => (
    <button
      key={node}
      type="button"
      className="button"
      disabled={isHeld || draft.isWrong}
      onClick={() =>
        void question.decide({ decision: 'edit', arguments: draft.value, answer: { redo: node } })
      }
      data-redo={node}
    >
      {t.approval.redo(visible(node))}
    </button>
  ));
}

function Rejecting({ question, setMode, isHeld }: Held): ReactNode {
  const t = useTexts();
  const [reason, setReason] = useState('');
  const reject = async (): Promise<void> => {
    const why = reason.trim();
    const isDone = await question.decide({ decision: 'reject', ...(why === '' ? {} : { rationale: why }) });
    if (isDone) announce(t.status.stopped);
  };
  return (
    <form
      className="rejecting"
      onSubmit={(event) => {
        event.preventDefault();
        void reject();
      }}
    >
      <label>
        <span className="label">{t.approval.reason}</span>
        <textarea
          className="field"
          rows={2}
          maxLength={4_000}
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void reject();
            if (event.key === 'Escape') setMode('look');
            event.stopPropagation();
          }}
        />
      </label>
      <div className="decide">
        <button
          type="submit"
          className="button primary"
          disabled={isHeld || question.isDeciding}
          data-decide="reject-now"
        >
          {t.approval.rejectNow}
        </button>
        <button type="button" className="button" onClick={() => setMode('look')}>
          {t.approval.cancel}
        </button>
      </div>
    </form>
  );
}

function Later({ question, isHeld }: { readonly question: Question; readonly isHeld: boolean }): ReactNode {
  const t = useTexts();
  return (
    <Menu.Root>
      <Menu.Trigger className="button ghost" disabled={isHeld} data-decide="defer">
        {t.approval.later}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="placed" sideOffset={6} align="end">
          <Menu.Popup className="menu">
            <p className="label">{t.approval.laterUntil}</p>
            {(Object.keys(laters) as (keyof typeof laters)[]).map((when) => (
              <Menu.Item
                key={when}
                className="item"
                onClick={() => void question.decide({ decision: 'defer', until: Date.now() + laters[when] })}
              >
                {t.approval.laterIn[when]}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
