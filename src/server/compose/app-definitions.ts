import { z } from 'zod';
import { Preferences } from '../../projections/projection.ts';
import { Deciders } from '../../run/deciders.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { Limits } from '../../run/values.ts';
import type { RunDefinition } from '../../front/create-run.ts';
import type { Flow } from '../../engine/scope.ts';
import type { BodyCheck, DefinitionsFront } from '../../front/definitions.ts';
import type { App } from '../folder/home.ts';
import { readSettings, type SettledFlow } from './named-flows.ts';

/** What an app is, as data. The code of its flow is named; agents, models and tools are looked up by name. */
const AppBody = z.strictObject({
  flow: z.strictObject({ name: z.string(), version: z.string() }),
  description: z.string().optional(),
  examples: z.array(z.string().min(1).max(500)).max(12).optional(),
  settings: z.record(z.string(), z.json()).optional(),
  limits: z.strictObject(Limits.shape).optional(),
  approvals: Deciders.optional(),
  trustsClientState: z.boolean().optional(),
  preferences: Preferences.optional(),
});

/** Fails, with the field and the fix, where a body is not an app that can be run here. */
export function appChecker(flows: readonly (Flow | SettledFlow)[]): BodyCheck {
  return (body, { name }) => {
    const parsed = AppBody.safeParse(body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path.join('.') || 'the whole';
      throw new RunError('malformed', `The app «${name}» does not fit: ${field}: ${issue?.message ?? ''}.`);
    }
    const { flow, settings = {} } = parsed.data;
    const code = flows.find(({ name: called, version }) => called === flow.name && version === flow.version);
    if (!code) {
      const known = flows.map((one) => `${one.name}@${one.version}`).join(', ');
      const message = `The app «${name}» does not fit: flow: there is no ${flow.name}@${flow.version} here; known: ${known}.`;
      throw new RunError('malformed', message);
    }
    if (code.settings) readSettings(code.settings, name, settings);
    if ('readSettings' in code) code.readSettings(name, settings);
  };
}

/** An app of a configuration with what its definition says. */
export interface ConfiguredApp {
  readonly app: App;
  readonly body: object;
  /** Its flow as runs call it that were recorded before definitions were. */
  readonly former?: Flow | undefined;
}

/**
 * The apps of a configuration, published. A store that cannot be written now is asked again when something is started:
 * whoever only looks must not need it.
 */
export async function publishedApps(
  front: DefinitionsFront,
  apps: readonly ConfiguredApp[],
  isWhole: boolean,
): Promise<readonly App[]> {
  const published = apps.map(({ body, app }): App & Required<Pick<App, 'definition'>> => ({
    ...app,
    definition: untilDone(async () => {
      const { definition, body: kept } = await front.provide({ kind: 'app', name: app.name }, body);
      return { tenant: definition.tenant, hash: definition.hash, body: kept };
    }),
  }));
  try {
    await Promise.all(published.map(({ definition }) => definition()));
    if (isWhole)
      await front.retire(
        'app',
        published.map(({ name }) => name),
      );
  } catch (thrown) {
    if (failureOf(thrown).code !== 'unavailable') throw thrown;
  }
  return published;
}

function untilDone(work: () => Promise<RunDefinition>): () => Promise<RunDefinition> {
  let done: Promise<RunDefinition> | undefined;
  return () =>
    (done ??= work().catch((thrown: unknown) => {
      done = undefined;
      throw thrown;
    }));
}
