import { useCallback, useSyncExternalStore, type ReactNode } from 'react';
import type { FlatApproval, FlatStep } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import { useRunView } from '../steps/run-view.tsx';
import { useTexts } from '../texts/texts.ts';
import { ApprovalCard } from './approval-card.tsx';

/** The questions about one step: those that wait as cards, the others as what became of them. */
export function ApprovalsOf({ step: { approvals = [] } }: { readonly step: FlatStep }): ReactNode {
  return approvals.map((id) => <OneApproval key={id} id={id} />);
}

function OneApproval({ id }: { readonly id: string }): ReactNode {
  const { run } = useRunView();
  const look = useCallback(() => run.getSnapshot().tree.approvals.find((one) => one.id === id), [run, id]);
  const approval = useSyncExternalStore(run.subscribe, look);
  if (!approval) return undefined;
  const isOver = run.getSnapshot().tree.endedAt !== undefined;
  if (approval.status === 'decided' || approval.status === 'lapsed' || isOver)
    return <Decided approval={approval} />;
  return <ApprovalCard approval={approval} />;
}

/** Who made what of a question, and why. */
function Decided({ approval }: { readonly approval: FlatApproval }): ReactNode {
  const t = useTexts();
  const { status, decision, by = '', rationale, lapsed } = approval;
  if (status === 'lapsed' || decision === undefined)
    return <p className="step-notice">{lapsed === undefined ? t.step.lapsed : visible(lapsed)}</p>;
  return (
    <p className="step-notice" data-decided={decision}>
      {t.step.decided[decision](visible(by))}
      {rationale !== undefined && rationale !== '' && ` ${t.step.because(visible(rationale))}`}
    </p>
  );
}
