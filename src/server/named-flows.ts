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
  readonly tools: readonly Tool[] | undefined;
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
    const known = tools ?? [];
    const offered = wanted && tools ? wanted.map((tool) => toolNamed(tools, tool, name)) : known;
    const offers = offered.map(({ name: tool, description, schema }) => ({
      name: tool,
      description,
      schema,
    }));
    return converse(converseSettings({ ...checked, name, tools: offers }, process.env, {}));
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

function toolNamed(tools: readonly Tool[], name: string, app: string): Tool {
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  const known = tools.map((tool) => tool.name).join(', ') || 'none';
  throw new RunError(
    'malformed',
    `The configuration does not fit: apps.${app}.settings.tools: there is no tool «${name}»; known: ${known}.`,
  );
}
