import { z } from 'zod';
import type { Flow } from '../engine/scope.ts';
import { converse } from '../flows/converse.ts';
import { converseSettings } from '../flows/converse-settings.ts';
import { coordinate } from '../flows/coordinate.ts';
import type { CoordinateSettings } from '../flows/coordinate-settings.ts';
import { demoFlow } from '../flows/demo.ts';
import { RunError } from '../run/failure.ts';
import type { Tool } from '../tools/tool.ts';

/** An app that names its flow, as its configuration says it. */
export interface NamedApp {
  readonly name: string;
  readonly settings: object;
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
        .union([z.enum(['none', 'non-duplicate']), z.strictObject({ allow: z.record(z.string(), z.int()) })])
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
  exchanges: z.int().positive().exactOptional(),
  characters: z.int().positive().exactOptional(),
  agents: z.array(
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
  ),
});

/** Flows that an app may name. */
export const namedFlows: Readonly<Record<string, (app: NamedApp) => Flow>> = {
  tour: () => demoFlow,
  converse: ({ name, settings, tools }) => {
    const { tools: wanted, ...checked } = read(Converse, name, settings);
    if (tools) for (const tool of wanted ?? []) expectTool(tools, tool, name);
    const base = {
      ...checked,
      name,
      tools: offersOf([...offered(tools, wanted), ...expected(tools, checked)]),
    };
    const ready = converseSettings(base, process.env, {});
    return {
      ...converse(ready),
      async run(scope, input) {
        await tools?.servers.tried;
        return converse({ ...ready, tools: offersOf(offered(tools, wanted)) }).run(scope, input);
      },
    };
  },
  coordinate: ({ name, settings }) => coordinate(read(Coordinate, name, settings), name),
};

function read<T>(schema: z.ZodType<T>, app: string, settings: object): T {
  const parsed = schema.safeParse(settings);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = ['apps', app, 'settings', ...(issue?.path ?? [])].join('.');
  throw new RunError(
    'malformed',
    `The configuration does not fit: ${place}: ${issue?.message ?? 'is wrong'}.`,
  );
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

/** What the rules name that may come yet. */
function expected(
  tools: ToolsNow | undefined,
  { rules }: Pick<z.infer<typeof Converse>, 'rules'>,
): readonly Offered[] {
  const { actionTools } = rules;
  const named = typeof actionTools === 'object' ? Object.keys(actionTools.allow) : [];
  return named
    .filter((name) => tools === undefined || tools.servers.owns(name))
    .map((name) => ({ name, description: '', schema: {} }));
}

function expectTool(tools: ToolsNow, name: string, app: string): void {
  const all = tools.now();
  if (all.some((tool) => tool.name === name) || tools.servers.owns(name)) return;
  const known = all.map((tool) => tool.name).join(', ') || 'none';
  throw new RunError(
    'malformed',
    `The configuration does not fit: apps.${app}.settings.tools: there is no tool «${name}»; known: ${known}.`,
  );
}
