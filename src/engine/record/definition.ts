import { configurationTenant } from '../../run/definition.ts';
import { RunError } from '../../run/failure.ts';
import { Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';

/** What a run was started to do, as it was then: of its own tenant, or of the configuration, which is everybody's. */
export async function definitionOf(execution: Execution): Promise<Json | undefined> {
  const { tree, world } = execution;
  const { definition: hash, tenant = '' } = tree.started ?? {};
  if (hash === undefined) return undefined;
  const { blobs } = world.store;
  const text = await execution.insist(
    async () => (await blobs.get(tenant, hash)) ?? blobs.get(configurationTenant, hash),
  );
  if (text !== undefined) return Json.parse(JSON.parse(text));
  throw new RunError('unknown', `The definition ${hash.slice(0, 12)} that the run began with is not there.`);
}
