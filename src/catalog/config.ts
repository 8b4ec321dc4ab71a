import { z } from 'zod';
import { AppGuards } from '../guards/guard-settings.ts';
import type { Policy } from '../policies/policy.ts';
import { Preferences } from '../projections/projection.ts';
import { Deciders } from '../run/deciders.ts';
import { RunError } from '../run/failure.ts';
import { placeIn, readAs, Json, Limits } from '../run/values.ts';
import { AgentSettings, Model } from './agent-settings.ts';
import { Auth, Secret, Server, StoreName } from './server-settings.ts';
import { Connection, GivenTool } from './tool-source.ts';

/** A flow as a configuration holds it. What it does with its scope is between it and the engine. */
export interface ConfiguredFlow {
  readonly name: string;
  readonly version: string;
  run(scope: never, input: never): Promise<string>;
}

const Name = z.string().regex(/^[\w.-]{1,64}$/, 'use up to 64 letters, digits, _, - and .');

const ConnectionName = z.string().regex(/^[\w-]{1,40}$/, 'use up to 40 letters, digits, _ and -');

const AppFlow = z.union([z.string().min(1), z.custom<ConfiguredFlow>((value) => isFlow(value))], {
  error: 'name a flow, or give one: { name, version, run }',
});

/** What people choose to talk to. `settings` are the flow's own. */
const App = z.strictObject({
  flow: AppFlow,
  description: z.string().optional(),
  /** Questions to begin with, for those who do not know it yet. */
  examples: z.array(z.string().min(1).max(500)).max(12).optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  limits: z.strictObject(Limits.shape).optional(),
  /** What it lets pass, of what people send and of what they are told. */
  guards: AppGuards.optional(),
  /** Who decides what its runs ask; a member decides in runs they started where nothing is said. */
  approvals: Deciders.optional(),
  /** Whether states of agents count that a client brings along and this server never gave it. */
  trustsClientState: z.boolean().optional(),
  /** What those who watch its runs are shown, unless they ask for something else. */
  preferences: Preferences.optional(),
});
export type AppSettings = z.infer<typeof App>;

/** What can be run here, as the file of a user says it. */
export const Config = z
  .strictObject({
    models: z.record(Name, Model).default({}),
    agents: z.record(Name, AgentSettings).default({}),
    tools: z.array(GivenTool).default([]),
    /** Places that nodes of workflows may send requests to. */
    connections: z.record(ConnectionName, Connection).default({}),
    apps: z.record(Name, App).default({}),
    /** Graphs by their names, published read-only: beside a file, those in its folder `workflows` are among them. */
    workflows: z.record(Name, z.record(z.string(), Json)).default({}),
    /** The app of those who name none; not needed where there is only one. */
    defaultApp: z.string().optional(),
    /** What may happen next, by names of one's own: beside the policies that ship, which always hold. */
    policies: z
      .record(
        Name,
        z.custom<Policy>((value) => typeof value === 'function', 'give a function'),
      )
      .default({}),
    /** Of every run, unless its app says otherwise. */
    limits: z.strictObject(Limits.shape).default({}),
    /** Told to whoever starts something with it. */
    notice: z.string().optional(),
    /** Called when the process that used the configuration is done with it. */
    close: z.custom<() => Promise<void>>((close) => typeof close === 'function').optional(),
    /** Variables whose values are recorded nowhere, beside those that other fields name. They must be set. */
    secrets: z.array(Secret).default([]),
    /** Where runs and what people share are kept; in the data folder, unless said. */
    store: StoreName.default('sqlite'),
    auth: Auth.default({}),
    server: Server.prefault({}),
  })
  .superRefine((config, context) => {
    for (const [agent, { model }] of Object.entries(config.agents)) {
      if (model === undefined || Object.hasOwn(config.models, model)) continue;
      const known = listed(config.models);
      context.addIssue({
        code: 'custom',
        path: ['agents', agent, 'model'],
        message: `there is no model «${model}» under «models»; known: ${known}`,
      });
    }
    const { defaultApp, apps } = config;
    if (defaultApp === undefined || Object.hasOwn(apps, defaultApp)) return;
    const message = `there is no app «${defaultApp}» under «apps»; known: ${listed(apps)}`;
    context.addIssue({ code: 'custom', path: ['defaultApp'], message });
  });
export type Config = z.output<typeof Config>;
export type ConfigInput = z.input<typeof Config>;

/** A configuration that can be used, or a failure that names the file, each field that is wrong, and the fix. */
export function readConfig(value: unknown, file: string): Config {
  const read = readAs(Config, value);
  if (read.fits) return read.value;
  const wrong = read.wrong
    .slice(0, 5)
    .map(({ path, message }) => `${placeIn(path) || 'the whole'}: ${message}`);
  throw new RunError(
    'malformed',
    `${file} is not a configuration: ${wrong.join('; ')}. Nothing was changed.`,
  );
}

function listed(names: Readonly<Record<string, unknown>>): string {
  return Object.keys(names).join(', ') || 'none';
}

function hasFunction(value: unknown, name: string): value is object {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';
}

function isFlow(value: unknown): boolean {
  if (!hasFunction(value, 'run')) return false;
  const { name, version } = value as Partial<ConfiguredFlow>;
  return typeof name === 'string' && typeof version === 'string';
}
