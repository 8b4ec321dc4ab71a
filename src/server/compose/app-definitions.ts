import { z } from 'zod';
import { Preferences } from '../../projections/projection.ts';
import { Deciders } from '../../run/deciders.ts';
import { AppGuards } from '../../guards/guard-settings.ts';
import { RunError } from '../../run/failure.ts';
import { parsed, Limits, type Json } from '../../run/values.ts';
import { configurationTenant, type Definition } from '../../run/definition.ts';
import { atMost, present } from '../../run/tree.ts';
import type { Flow } from '../../engine/scope.ts';
import type { BodyCheck, WholeDefinition } from '../../front/definitions.ts';
import type { App } from '../folder/home.ts';
import type { Used, Access } from './named-flow.ts';
import type { SettledFlow } from './named-flows.ts';
import { readSettings } from './read-settings.ts';
/** What an app is, as data. The code of its flow is named; agents, models and tools are looked up by name. */
const AppBody = z.strictObject({
  flow: z.strictObject({ name: z.string(), version: z.string() }),
  description: z.string().optional(),
  examples: z.array(z.string().min(1).max(500)).max(12).optional(),
  settings: z.record(z.string(), z.json()).optional(),
  /** What it lets pass. */
  guards: AppGuards.optional(),
  limits: z.strictObject(Limits.shape).optional(),
  approvals: Deciders.optional(),
  trustsClientState: z.boolean().optional(),
  preferences: Preferences.optional(),
});

/** What bodies of apps are checked by. */
export interface AppChecks {
  readonly flows: readonly (Flow | SettledFlow)[];
  /** Whether people of a tenant can run an app or workflow of this name. */
  readonly isThere: (tenant: string, used: Used) => Promise<boolean>;
}

/** Fails, with the field and the fix, where a body is not an app that can be run here. */
export function appChecker({ flows, isThere }: AppChecks): BodyCheck {
  return async (body, { name, tenant, state }) => {
    const { flow, settings = {} } = appBody(body, name);
    const code = flows.find(({ name: called, version }) => called === flow.name && version === flow.version);
    if (!code) {
      const known = flows.map((one) => `${one.name}@${one.version}`).join(', ');
      const message = `The app «${name}» does not fit: flow: there is no ${flow.name}@${flow.version} here; known: ${known}.`;
      throw new RunError('malformed', message);
    }
    inOwnWords(tenant, name, () => {
      if (code.settings) readSettings(code.settings, name, settings);
      if ('readSettings' in code) code.readSettings(name, settings);
    });
    if (!('readSettings' in code)) return;
    for (const used of code.uses?.(settings) ?? [])
      if (isItself(name, used) || !(await isThere(tenant, used))) throw strangeSkill(name, used);
    const missing = state === 'published' ? (code.missing?.(settings) ?? []) : [];
    if (missing.length > 0) throw notReady(name, missing);
  };
}

/** What a definition of an app says, or a failure that names what does not fit. */
export function appBody(body: Json, name: string): z.output<typeof AppBody> {
  return parsed(AppBody, body, `The app «${name}»`);
}

/** An app that people have made, as it was published. It uses no more than every run may. */
export function storedApp(
  { definition, body }: WholeDefinition,
  { flows, limits: allowed }: { readonly flows: readonly Flow[]; readonly limits: Limits },
): App | undefined {
  const { name, tenant, hash } = definition;
  const { flow: called, settings = {}, limits = {}, ...said } = appBody(body, name);
  const flow = flows.find((one) => one.name === called.name && one.version === called.version);
  if (!flow) return undefined;
  const settled = 'access' in flow ? (flow as SettledFlow) : undefined;
  const access = accessOf(definition, settled?.access?.(settings));
  const greeting = settled?.greeting?.(settings);
  const { trustsClientState: _, guards: _guards, ...shown } = said;
  return {
    name,
    flow,
    limits: atMost(allowed, limits),
    ...present({ ...shown, access, greeting }),
    definition: async () => ({ tenant, hash, body }),
  };
}

/** Of an app that is nobody's configuration, the fields are named as they are there. */
function inOwnWords(tenant: string, name: string, check: () => void): void {
  try {
    check();
  } catch (thrown) {
    if (tenant === configurationTenant || !(thrown instanceof RunError)) throw thrown;
    const { code, message } = thrown.failure;
    const told = message
      .replace(/^The configuration does not fit: /, `The app «${name}» does not fit: `)
      .replaceAll(`apps.${name}.settings.`, '');
    throw new RunError(code, told, { cause: thrown });
  }
}

function isItself(app: string, { kind, name }: Used): boolean {
  return kind === 'app' && name === app;
}

function strangeSkill(app: string, used: Used): RunError {
  const { kind, name } = used;
  const why = isItself(app, used) ? 'an app cannot be a skill of itself' : `there is no ${kind} «${name}»`;
  return new RunError('malformed', `The app «${app}» does not fit: skills: ${why}; name another one.`);
}

function notReady(name: string, missing: readonly string[]): RunError {
  return new RunError('malformed', `The app «${name}» cannot be published: it lacks ${missing.join('; ')}.`);
}

/** An app of a configuration with what its definition says. */
export interface ConfiguredApp {
  readonly app: App;
  readonly body: object;
  /** Its flow as runs call it that were recorded before definitions were. */
  readonly former?: Flow | undefined;
}

/** Who may use an app: those it names, and, of one that people made, whoever made it. */
export function accessOf(
  { tenant, by }: Pick<Definition, 'tenant' | 'by'>,
  own: Access | undefined,
): Access | undefined {
  if (!own || tenant === configurationTenant) return own;
  return { ...own, people: [...own.people, by] };
}
