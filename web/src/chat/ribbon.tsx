import type { ReactNode } from 'react';
import type { FlatTree, RunStore } from '../../../src/client/client.ts';
import { useTexts } from '../texts/texts.ts';
import { beginningOf } from './summary.ts';

/** Where a conversation is: at its tools or at its answer. How it was asked to go about it is said where somebody chose. */
export function Ribbon({
  run,
  tree: { phase, steps },
}: {
  readonly run: RunStore;
  readonly tree: FlatTree;
}): ReactNode {
  const t = useTexts();
  const chosen = beginningOf(run.entries())?.labels['converse.protocol'];
  const current = phase ?? steps.findLast((step) => step.phase)?.phase;
  if (!current) return undefined;
  const isTools = current.phase === 'tool_phase';
  const batches = steps.reduce((most, step) => Math.max(most, step.phase?.batch ?? 0), current.batch);
  return (
    <div className="ribbon" data-phase={current.phase}>
      <span className={isTools ? 'on' : ''}>{t.run.phaseTools(current.batch, batches)}</span>
      <hr />
      <span className={isTools ? '' : 'on'}>{t.run.phaseAnswer}</span>
      <span className="grow" />
      {(chosen === 'two-stage' || chosen === 'unified') && (
        <span className="mode">{t.chat.protocols[chosen]}</span>
      )}
    </div>
  );
}
