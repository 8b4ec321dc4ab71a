import type { AppSettings, Config } from '../../catalog/config.ts';
import type { Flow } from '../../engine/scope.ts';
import { RunError } from '../../run/failure.ts';
import type { App } from '../folder/home.ts';
import type { ConfiguredApp } from './app-definitions.ts';
import { expectDistinct } from './distinct-flows.ts';
import type { FlowMeans, ToolsNow } from './named-flow.ts';
import { namedFlow, namedFlows, workflowFlow } from './named-flows.ts';
import { readSettings } from './read-settings.ts';
import { flowId } from '../../run/values.ts';
import { present } from '../../run/tree.ts';

export function appsOf(config: Config, where: string, tools?: ToolsNow): readonly App[] {
  const means = { agents: Object.keys(config.agents), tools };
  return configuredApps(config, where, means).map(({ app }) => app);
}

/**
 * The apps of a configuration. `where` it is stands before what is wrong with it. Until its tools are opened it is known
 * what apps there are, and not what they can call.
 */
export function configuredApps(
  { apps, limits }: Config,
  where: string,
  means: FlowMeans,
): readonly ConfiguredApp[] {
  const code = Object.entries(namedFlows).map(([name, flow]) => namedFlow(name, flow, means));
  const configured = Object.entries(apps).map(([name, app]): ConfiguredApp => {
    const { description, examples, preferences, approvals, trustsClientState, guards } = app;
    const { flow, former, settings } = codeOf(name, app, { means, code, where });
    const said = {
      limits: { ...limits, ...app.limits },
      ...present({ description, examples, approvals, trustsClientState, preferences }),
    };
    const { name: called, version } = flow;
    const named = typeof app.flow === 'string' ? namedFlows[app.flow] : undefined;
    const [access, greeting] = [named?.access?.(settings), named?.greeting?.(settings)];
    return {
      app: { name, flow, ...said, ...present({ access, greeting }) },
      former,
      body: { flow: { name: called, version }, settings, ...said, ...present({ guards }) },
    };
  });
  expectDistinct(
    configured.map(({ app }) => app),
    where,
  );
  return configured;
}

interface Coding {
  readonly means: FlowMeans;
  readonly code: readonly Flow[];
  readonly where: string;
}

/** The code that an app names, or brings, and its settings, whole. */
function codeOf(
  name: string,
  { flow: given, settings = {} }: AppSettings,
  { means, code, where }: Coding,
): { readonly flow: Flow; readonly former?: Flow; readonly settings: object } {
  if (typeof given !== 'string') {
    const own = given as Flow;
    return { flow: own, settings: own.settings ? readSettings(own.settings, name, settings) : settings };
  }
  const flow = code.find((known) => known.name === given);
  const named = Object.hasOwn(namedFlows, given) ? namedFlows[given] : undefined;
  if (flow && named) {
    const whole = named.read(name, settings, means);
    return { flow, former: { name, version: named.version, ...named.by(whole, means) }, settings: whole };
  }
  const known = Object.keys(namedFlows).join(', ');
  throw new RunError(
    'malformed',
    `${where}: apps.${name}.flow: there is no flow «${given}»; known: ${known}.`,
  );
}

/** All code there is: of the apps, what they may name, and that as it was called before runs recorded definitions. */
export function flowsOf(apps: readonly ConfiguredApp[], means: FlowMeans): readonly Flow[] {
  const own = apps.map(({ app }) => app.flow);
  const named = Object.entries(namedFlows).map(([name, flow]) => namedFlow(name, flow, means));
  const former = apps.flatMap(({ former }) => former ?? []);
  const all = [...former, ...named, workflowFlow(means), ...own];
  const each = new Map(all.map((flow) => [flowId(flow), flow]));
  return [...each.values()];
}
