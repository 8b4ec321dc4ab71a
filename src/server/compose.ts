import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Agent } from '../catalog/agent.ts';
import {
  readConfig,
  type AgentSettings,
  type AppSettings,
  type Config,
  type ConfigInput,
  type ModelSettings,
} from '../catalog/config.ts';
import { flowId } from '../engine/engine.ts';
import type { Flow } from '../engine/scope.ts';
import type { Log, World } from '../engine/world.ts';
import { demoFlow } from '../flows/demo.ts';
import { demoModel } from '../gateways/demo.ts';
import type { Gateway } from '../gateways/gateway.ts';
import { openAiChatGateway } from '../gateways/openai-chat.ts';
import { approval } from '../policies/approval.ts';
import { budget } from '../policies/budget.ts';
import { duplicate } from '../policies/duplicate.ts';
import { houseProtocols } from '../projections/house.ts';
import { RunError } from '../run/failure.ts';
import { sqliteReader } from '../stores/sqlite-reader.ts';
import { sqliteStore } from '../stores/sqlite.ts';
import { demoTools } from '../tools/demo.ts';
import { holdHome, type HeldHome } from './hold.ts';
import type { App, HomeReader } from './home.ts';
import { stderrLog } from './log.ts';
import { namedFlows } from './named-flows.ts';
import type { Teller } from './protocols.ts';
import { newId, sha256, systemClock } from './system.ts';

export interface HomeSettings {
  /** The data folder. */
  readonly data: string;
  readonly config?: ConfigInput;
  /** Take up every unfinished run of the folder, or only what is asked for; everything, unless said. */
  readonly takes?: 'asked' | 'everything';
  readonly log?: Log;
  /** How fast the scripted model of the demo speaks: 1 for people, 0 without any delay. */
  readonly pace?: number;
}

/** Open a data folder as the process that holds it, and work on its runs until it is closed. */
export async function openHome({ data, config = {}, takes, log, pace = 1 }: HomeSettings): Promise<HeldHome> {
  const folder = resolve(data);
  const parsed = readConfig(config, 'The configuration');
  const apps = appsOf(parsed, 'The configuration');
  const agents = [...agentsOf(parsed), ...demoAgents(pace)];
  const tools = [...parsed.tools, ...demoTools({ folder, pace })];
  const store = await sqliteStore({ folder });
  const world: World = {
    store,
    clock: systemClock,
    catalog: { flows: apps.map(({ flow }) => flow), agents, tools },
    policies: [budget, duplicate, approval],
    log: log ?? stderrLog,
    newId,
    hash: sha256,
  };
  try {
    const worker = `${hostname()}-${process.pid}`;
    return await holdHome({
      world,
      folder,
      apps,
      worker,
      takes: takes ?? 'everything',
      notices: store.notices,
      ...(parsed.close ? { onClose: parsed.close } : {}),
    });
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

/** Read a data folder beside the process that holds it, or when none does. */
export function readHome({ data }: Pick<HomeSettings, 'data'>): Promise<HomeReader> {
  return sqliteReader({ folder: resolve(data) });
}

/** How runs are told to those who watch, by the name they ask for. */
export const tellers: Readonly<Record<string, Teller>> = houseProtocols;

/** The app that is there without any configuration. */
export const builtIn = 'tour';

/** The apps of a configuration, and the one that is built in. `where` the configuration is stands before what is wrong with it. */
export function appsOf({ apps, limits, tools }: Config, where: string): readonly App[] {
  const configured = Object.entries(apps).map(([name, { description, ...settings }]): App => ({
    name,
    flow: flowOf(name, { ...settings, tools }, where),
    limits: { ...limits, ...settings.limits },
    ...(description === undefined ? {} : { description }),
  }));
  const own: App = { name: builtIn, flow: demoFlow, limits, description: 'the built-in demo' };
  const all = Object.hasOwn(apps, builtIn) ? configured : [...configured, own];
  expectDistinct(all, where);
  return all;
}

function flowOf(
  name: string,
  { flow, settings, tools }: AppSettings & Pick<Config, 'tools'>,
  where: string,
): Flow {
  if (typeof flow !== 'string') return flow as Flow;
  const make = namedFlows[flow];
  if (make) return make({ name, settings: settings ?? {}, tools });
  const known = Object.keys(namedFlows).join(', ');
  throw new RunError(
    'malformed',
    `${where}: apps.${name}.flow: there is no flow «${flow}»; known: ${known}.`,
  );
}

/** A recovered run finds its flow by name and version: two of one name would be taken for each other. */
function expectDistinct(apps: readonly App[], where: string): void {
  for (const [i, { name, flow }] of apps.entries()) {
    const twin = apps.slice(0, i).find((other) => other.flow !== flow && flowId(other.flow) === flowId(flow));
    if (!twin) continue;
    throw new RunError(
      'malformed',
      `${where}: apps.${name}.flow: another flow, of app «${twin.name}», is called ${flowId(flow)} too; rename one of them.`,
    );
  }
}

function agentsOf({ agents, models }: Config): readonly Agent[] {
  return Object.entries(agents).map(([name, settings]) => {
    const model = settings.model === undefined ? undefined : models[settings.model];
    const { description, approval: asks, state } = settings;
    return {
      name,
      description,
      gateway: gatewayOf(settings, model),
      effect: settings.effect ?? (model ? 'pure' : 'once'),
      ...(model ? { model: model.model } : {}),
      ...(asks === undefined ? {} : { approval: asks }),
      ...(state === undefined ? {} : { state }),
    };
  });
}

function gatewayOf({ gateway }: AgentSettings, model: ModelSettings | undefined): Gateway {
  if (gateway) return gateway;
  if (!model) throw new Error('an agent without model and gateway passed its schema');
  const { key, ...settings } = model;
  const chat = openAiChatGateway({ ...settings, ...(key ? { key: () => process.env[key.env] ?? '' } : {}) });
  if (!key) return chat;
  return {
    takeTurn(turn, signal) {
      if (process.env[key.env]) return chat.takeTurn(turn, signal);
      throw new RunError(
        'unauthenticated',
        `Model ${model.model} needs the environment variable ${key.env}.`,
      );
    },
  };
}

function demoAgents(pace: number): readonly Agent[] {
  return (['planner', 'analyst', 'writer'] as const).map((role) => ({
    name: `demo-${role}`,
    description: `The ${role} of the built-in demo: a script.`,
    gateway: demoModel(role, pace),
    model: 'scripted',
    effect: 'pure',
  }));
}
