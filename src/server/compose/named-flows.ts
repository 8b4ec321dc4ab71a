import { z } from 'zod';
import type { Flow } from '../../engine/scope.ts';
import { converse } from '../../flows/converse.ts';
import { expectAllowed, rulesFor, switchesIn, type ActionTools } from '../../flows/converse-settings.ts';
import { coordinate } from '../../flows/coordinate.ts';
import type { CoordinateSettings } from '../../flows/coordinate-settings.ts';
import { RunError } from '../../run/failure.ts';
import type { Tool } from '../../tools/tool.ts';
import { unknownAgent, wrongNames, type Wrong } from './names-in-settings.ts';

/** An app that names its flow, as its configuration says it. */
export interface NamedApp {
  readonly name: string;
  readonly settings: object;
  /** The names of all agents there are. */
  readonly agents: readonly string[];
  /** Undefined before they are opened. */
  readonly tools: ToolsNow | undefined;
}

/** Tools as they come and go. */
export interface ToolsNow {
  now(): readonly Tool[];
  readonly servers: {
    /** Resolves when each server of tools has answered, or failed to, once. */
    readonly tried: Promise<void>;
    /** Whether a tool of this name may come. */
    owns(tool: string): boolean;
  };
}

const Converse = z.strictObject({
  agent: z.string(),
  system: z.string().default('You are a helpful assistant. Use tools where they help, and answer plainly.'),
  /** Names of tools; all of the configuration's unless said. */
  tools: z.array(z.string()).exactOptional(),
  rules: z
    .strictObject({
      protocol: z.enum(['two-stage', 'unified']).exactOptional(),
      preset: z.enum(['strict', 'parallel']).exactOptional(),
      maxToolsPerPhase: z.int().positive().exactOptional(),
      actionTools: z
        .union([
          z.enum(['none', 'non-duplicate']),
          z.strictObject({ allow: z.record(z.string(), z.int().positive()) }),
        ])
        .exactOptional(),
      maxCycles: z.int().positive().exactOptional(),
      pauseAfterTool: z.boolean().exactOptional(),
    })
    .default({}),
});

const Coordinate: z.ZodType<CoordinateSettings> = z.strictObject({
  router: z.string(),
  writer: z.string(),
  fallback: z.string(),
  onFailure: z.enum(['skip', 'ask', 'continue']).exactOptional(),
  exchanges: z.int().positive().exactOptional(),
  characters: z.int().positive().exactOptional(),
  agents: z
    .array(
      z.strictObject({
        name: z.string(),
        title: z.string().exactOptional(),
        icon: z.string().exactOptional(),
        description: z.string(),
        receives: z.array(z.string()).exactOptional(),
        get team() {
          return Coordinate.exactOptional();
        },
      }),
    )
    .min(1, 'name at least one agent'),
});

/** Flows that an app may name. */
export const namedFlows: Readonly<Record<string, (app: NamedApp) => Flow>> = {
  converse: ({ name, settings, agents, tools }) => {
    const { tools: wanted, ...checked } = read(Converse, name, settings);
    expectNone(name, unknownAgent(['agent'], checked.agent, agents));
    if (tools) for (const tool of wanted ?? []) expectTool(tools, tool, name);
    const ready = { ...checked, name, switches: switchesIn(process.env) };
    const now = (): Flow => converse({ ...ready, tools: offersOf(offered(tools, wanted)) });
    const check: Flow['check'] = ({ labels }) => {
      const { actionTools } = rulesFor({ ...ready, tools: [] }, labels).rules;
      if (tools) expectAllowed(actionTools, mayCome(tools, wanted, actionTools));
    };
    within(`apps.${name}.settings.rules`, () => check({ labels: {} }));
    return {
      ...now(),
      check,
      async run(scope, input) {
        await tools?.servers.tried;
        return now().run(scope, input);
      },
    };
  },
  coordinate: ({ name, settings, agents }) => {
    const checked = read(Coordinate, name, settings);
    expectNone(name, wrongNames(checked, agents));
    return coordinate(checked, name);
  },
};

function read<T>(schema: z.ZodType<T>, app: string, settings: object): T {
  const parsed = schema.safeParse(settings);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'number' ? part : String(part))),
    message,
  }));
  throw misfit(app, issues);
}

function expectNone(app: string, wrongs: readonly Wrong[]): void {
  if (wrongs.length > 0) throw misfit(app, wrongs);
}

const mostTold = 5;

function misfit(app: string, wrongs: readonly Wrong[]): RunError {
  const told = wrongs.slice(0, mostTold).map(({ path, message }) => {
    const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
    return `apps.${app}.settings${place}: ${message}`;
  });
  return new RunError('malformed', `The configuration does not fit: ${told.join('; ')}.`);
}

type Offered = Pick<Tool, 'name' | 'description' | 'schema'>;

function offersOf(tools: readonly Offered[]): Offered[] {
  return tools.map(({ name, description, schema }) => ({ name, description, schema }));
}

/** What is there now of what the app wants; all of it unless said. */
function offered(tools: ToolsNow | undefined, wanted: readonly string[] | undefined): readonly Offered[] {
  const all = tools?.now() ?? [];
  return wanted ? wanted.flatMap((name) => all.filter((tool) => tool.name === name)) : all;
}

/** The names of what is there, and of what an allowlist names and a server may bring yet. */
function mayCome(
  tools: ToolsNow,
  wanted: readonly string[] | undefined,
  actionTools: ActionTools,
): readonly string[] {
  const named = typeof actionTools === 'object' ? Object.keys(actionTools.allow) : [];
  const coming = named.filter((name) => tools.servers.owns(name) && (wanted?.includes(name) ?? true));
  return [...new Set([...offered(tools, wanted).map(({ name }) => name), ...coming])];
}

/** What is wrong with a part of the configuration says where that part is. */
function within(place: string, check: () => void): void {
  try {
    check();
  } catch (cause) {
    if (!(cause instanceof RunError)) throw cause;
    const { code, message } = cause.failure;
    throw new RunError(code, `The configuration does not fit: ${place}: ${message}`, { cause });
  }
}

function expectTool(tools: ToolsNow, name: string, app: string): void {
  const all = tools.now();
  if (all.some((tool) => tool.name === name) || tools.servers.owns(name)) return;
  const known = all.map((tool) => tool.name).join(', ') || 'none';
  throw misfit(app, [{ path: ['tools'], message: `there is no tool «${name}»; known: ${known}` }]);
}
