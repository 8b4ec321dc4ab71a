import { configurationTenant, type Definition } from '../../run/definition.ts';
import { RunError } from '../../run/failure.ts';
import { Json } from '../../run/values.ts';
import type { Store } from '../../stores/store.ts';
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

/** Which definition: the newest version that is published, unless one is named. 0 is the draft. */
export interface WhichDefinition {
  readonly kind: string;
  readonly name: string;
  readonly version?: number | undefined;
}

/** A definition with what it says: of a tenant, or of the configuration. */
export async function findDefinition(
  { definitions, blobs }: Pick<Store, 'definitions' | 'blobs'>,
  tenant: string,
  { kind, name, version }: WhichDefinition,
): Promise<{ readonly definition: Definition; readonly text: string } | undefined> {
  for (const owner of [tenant, configurationTenant]) {
    const rows = await definitions.versions({ tenant: owner, kind, name });
    const definition =
      version === undefined
        ? rows.findLast(({ state }) => state === 'published')
        : rows.find((row) => row.version === version);
    const text = definition && (await blobs.get(owner, definition.hash));
    if (definition && text !== undefined) return { definition, text };
  }
  return undefined;
}

export function noDefinition({ kind, name, version }: WhichDefinition): RunError {
  const which = version === undefined ? 'published' : version === 0 ? 'draft of' : `version ${version} of`;
  return new RunError('unknown', `There is no ${which} ${kind} «${name}».`);
}
