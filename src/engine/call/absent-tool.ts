import type { Failure } from '../../run/failure.ts';
import { isOpen } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import type { Absence } from '../world.ts';

/**
 * A call of a tool whose server is away. What begins now fails and names the server; what was begun while it was there waits
 * until it is back, since nobody else knows what became of it.
 */
export async function settleAbsence(
  execution: Execution,
  name: string,
  { parent, key }: { readonly parent: number; readonly key: string },
): Promise<Failure | undefined> {
  const known = execution.recorded.child(parent, key);
  if (known && !isOpen(known)) return undefined;
  for (let absence = absenceOf(execution, name); absence; absence = absenceOf(execution, name)) {
    await execution.busy(Promise.race([absence.tried, execution.done]));
    const still = absenceOf(execution, name);
    if (!still) return undefined;
    if (!known) return { code: 'unavailable', message: still.why, retryable: true };
    if (!known.notices.some(({ message }) => message === still.why))
      execution.emit({ type: 'notice.posted', step: known.id, code: 'TOOL_AWAY', message: still.why });
    await execution.busy(Promise.race([still.back, execution.done]));
  }
  return undefined;
}

export function absenceOf({ world: { catalog } }: Execution, name: string): Absence | undefined {
  return catalog.tools.some((tool) => tool.name === name) ? undefined : catalog.absence?.(name);
}
