import { definitionsFront } from '../../front/definitions.ts';
import { noDefinition } from '../../engine/record/definition.ts';
import { RunError } from '../../run/failure.ts';
import type { Store } from '../../stores/store.ts';
import { accessOf, appBody, type AppChecks } from './app-definitions.ts';
import type { AppsNow, FlowMeans, NamedFlow, Used } from './named-flow.ts';
import { namedFlows } from './named-flows.ts';
import { mayUse } from '../apps/apps-for.ts';
import { present } from '../../run/tree.ts';

/** Apps that others run as one of their skills: those that name a flow, as they are now. */
export function appsNow(store: Store, means: () => FlowMeans): AppsNow {
  const front = definitionsFront({ store, kinds: {}, clean: (body) => body, now: Date.now });
  return {
    async read(caller, name) {
      const { definition, body } = await front.read(caller, { kind: 'app', name });
      const { flow, settings = {}, guards, approvals } = appBody(body, name);
      const access = accessOf(definition, flowNamed(flow.name)?.access?.(settings));
      if (!mayUse({ access }, caller)) throw noDefinition({ kind: 'app', name });
      return { flow: flow.name, settings, ...present({ guards, approvals }) };
    },
    by(flow, settings, guards) {
      const named = flowNamed(flow);
      if (named) return named.by(settings, { ...means(), guards });
      throw new RunError('malformed', `An app with the flow «${flow}», which is its own, cannot be a skill.`);
    },
  };
}

function flowNamed(name: string): NamedFlow | undefined {
  return Object.hasOwn(namedFlows, name) ? namedFlows[name] : undefined;
}

/** Whether there is an app or workflow of a name: the configuration's, or one that people of the tenant published. */
export function isThereIn(
  { definitions }: Store,
  configured: Readonly<Record<Used['kind'], readonly string[]>>,
): AppChecks['isThere'] {
  return async (tenant, { kind, name }) => {
    if (configured[kind].includes(name)) return true;
    const versions = await definitions.versions({ tenant, kind, name });
    return versions.some(({ state }) => state === 'published');
  };
}
