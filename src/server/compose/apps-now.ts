import { definitionsFront } from '../../front/definitions.ts';
import { RunError } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import type { Store } from '../../stores/store.ts';
import { appBody, type AppChecks } from './app-definitions.ts';
import type { AppsNow, FlowMeans, Used } from './named-flow.ts';
import { namedFlows } from './named-flows.ts';

/** Apps that others run as one of their skills: those that name a flow, as they are now. */
export function appsNow(store: Store, means: () => FlowMeans): AppsNow {
  const front = definitionsFront({ store, kinds: {}, clean: (body) => body });
  return {
    async read(run, name) {
      const tenant = (await store.dispatch.get(run))?.tenant ?? '';
      const { body } = await front.read({ tenant, who: '' }, { kind: 'app', name });
      const { flow, settings = {}, guards } = appBody(body, name);
      return { flow: flow.name, settings, ...present({ guards }) };
    },
    by(flow, settings, guards) {
      const named = Object.hasOwn(namedFlows, flow) ? namedFlows[flow] : undefined;
      if (named) return named.by(settings, { ...means(), guards });
      throw new RunError('malformed', `An app with the flow «${flow}», which is its own, cannot be a skill.`);
    },
  };
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
