import type { DefinitionsFront } from '../../front/definitions.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { workflowKind as kind } from '../workflows/workflow-problems.ts';

/** The workflows of a configuration, published: for everybody to run, for nobody to change. */
export async function publishWorkflows(
  front: DefinitionsFront,
  workflows: Readonly<Record<string, Json>>,
  isWhole: boolean,
): Promise<void> {
  try {
    for (const [name, graph] of Object.entries(workflows)) await front.provide({ kind, name }, graph);
    if (isWhole) await front.retire(kind, Object.keys(workflows));
  } catch (thrown) {
    const { code, message, problems } = failureOf(thrown);
    // A store that cannot be written now has what was published before.
    if (code === 'unavailable') return;
    if (code !== 'malformed') throw thrown;
    throw new RunError(code, `The configuration does not fit: ${message}`, { problems, cause: thrown });
  }
}
