import { z } from 'zod';
import type { Flow, RunInput, Scope } from '../../engine/scope.ts';
import { converse, converseVersion } from '../../flows/converse/converse.ts';
import { expectAllowed, rulesFor, switchesIn, type ActionTools } from '../../flows/converse/course.ts';
import { coordinate, coordinateVersion } from '../../flows/coordinate/coordinate.ts';
import { runWorkflow, workflow } from '../../flows/workflow/workflow.ts';
import { AppGuards } from '../../guards/guard-settings.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import type { Tool } from '../../tools/tool.ts';
import type { FlowMeans, NamedFlow, ToolsNow } from './named-flow.ts';
import { Coordinate } from './coordinate-schema.ts';
import { unknownAgent, wrongNames } from './names-in-settings.ts';
import { pipelineFlow } from './pipeline-flow.ts';
import { expectNone, expectTool, readSettings } from './read-settings.ts';

const Converse = z.strictObject({
  agent: z.string(),
  system: z.string().default('You are a helpful assistant. Use tools where they help, and answer plainly.'),
  /** Names of tools; all of the configuration's unless said. */
  tools: z.array(z.string()).optional(),
  rules: z
    .strictObject({
      protocol: z.enum(['two-stage', 'unified']).optional(),
      preset: z.enum(['strict', 'parallel']).optional(),
      maxToolsPerPhase: z.int().positive().optional(),
      actionTools: z
        .union([
          z.enum(['none', 'non-duplicate']),
          z.strictObject({ allow: z.record(z.string(), z.int().positive()) }),
        ])
        .optional(),
      maxCycles: z.int().positive().optional(),
      pauseAfterTool: z.boolean().optional(),
    })
    .default({}),
});

/** Flows that an app may name. */
export const namedFlows: Readonly<Record<string, NamedFlow>> = {
  converse: {
    version: converseVersion,
    read(app, given, means) {
      const settings = readSettings(Converse, app, given);
      expectNone(app, unknownAgent(['agent'], settings.agent, means.agents));
      const { tools } = means;
      if (tools) for (const tool of settings.tools ?? []) expectTool(tools, { tool, app, path: ['tools'] });
      within(`apps.${app}.settings.rules`, () => conversing(settings, means).check({ labels: {} }));
      return settings;
    },
    by: (settings, means) => conversing(Converse.parse(settings), means),
  },
  coordinate: {
    version: coordinateVersion,
    read(app, given, { agents }) {
      const settings = readSettings(Coordinate, app, given);
      expectNone(app, wrongNames(settings, agents));
      return settings;
    },
    by: (settings) => coordinate(Coordinate.parse(settings)),
  },
  pipeline: pipelineFlow,
};

/** The flow of all workflows: the graph is what a run was started with. */
export function workflowFlow(means: FlowMeans): Flow {
  return workflow(flowsFor(means));
}

/** A workflow as a part of another run. */
export function workflowsIn(means: () => FlowMeans): NonNullable<FlowMeans['workflow']> {
  return (scope, name, { text, attachments }) =>
    runWorkflow(scope, { name, input: { text, attachments, app: name, labels: {} } }, flowsFor(means()));
}

function flowsFor(means: FlowMeans): Parameters<typeof workflow>[0] {
  return {
    flow(name, settings) {
      const named = namedFlows[name];
      if (!named) throw new RunError('unknown', `There is no flow «${name}».`);
      return named.by(settings, means);
    },
    effectOf: (tool) => means.tools?.all.find(({ name }) => name === tool)?.effect,
  };
}

/** A flow whose settings are data. A program may bring one of the same name that has its own. */
export interface SettledFlow extends Flow, Pick<NamedFlow, 'missing' | 'access' | 'greeting' | 'uses'> {
  readSettings(app: string, settings: object): object;
}

/** The code of a flow that apps name, once for all of them: the settings are in what each run was started with. */
export function namedFlow(name: string, flow: NamedFlow, means: FlowMeans): SettledFlow {
  return {
    name,
    version: flow.version,
    readSettings: (app, given) => flow.read(app, given, means),
    missing: (settings) => flow.missing?.(settings) ?? [],
    access: (settings) => flow.access?.(settings) ?? { everyone: true, people: [] },
    greeting: (settings) => flow.greeting?.(settings) ?? {},
    uses: (settings) => flow.uses?.(settings) ?? [],
    check: ({ definition, ...beginning }) => flow.by(settingsIn(definition), means).check?.(beginning),
    run: (scope, input) =>
      flow
        .by(settingsIn(scope.definition), { ...means, guards: guardsIn(scope.definition) })
        .run(scope, input),
  };
}

/** What an app lets pass; one that says nothing of it lets everything pass. */
function guardsIn(definition: Json | undefined): AppGuards | undefined {
  const given: unknown = Reflect.get(Object(definition) as object, 'guards');
  return given === undefined ? undefined : AppGuards.parse(given);
}

function settingsIn(definition: Json | undefined): object {
  return Object(Reflect.get(Object(definition), 'settings')) as object;
}

function conversing({ tools: wanted, ...settings }: z.output<typeof Converse>, { tools }: FlowMeans) {
  const ready = { ...settings, switches: switchesIn(process.env) };
  // Made once: what it looks up is found by every run anew.
  const flow = converse({
    ...ready,
    get tools() {
      return offersOf(offered(tools, wanted));
    },
  });
  return {
    check({ labels }: Pick<RunInput, 'labels'>): void {
      const { actionTools } = rulesFor({ ...ready, tools: [] }, labels).rules;
      if (tools) expectAllowed(actionTools, mayCome(tools, wanted, actionTools));
    },
    async run(scope: Scope, input: RunInput): Promise<string> {
      await tools?.servers.tried;
      return flow.run(scope, input);
    },
  };
}

type Offered = Pick<Tool, 'name' | 'description' | 'schema'>;

function offersOf(tools: readonly Offered[]): Offered[] {
  return tools.map(({ name, description, schema }) => ({ name, description, schema }));
}

/** What is there now of what the app wants; all of it unless said. */
function offered(tools: ToolsNow | undefined, wanted: readonly string[] | undefined): readonly Offered[] {
  const all = tools?.all ?? [];
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
