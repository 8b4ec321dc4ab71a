import type { Config } from '../../catalog/config.ts';
import type { Catalog } from '../../engine/world.ts';
import {
  definitionsFront,
  type DefinitionsFront,
  type DefinitionsSettings,
} from '../../front/definitions.ts';
import type { Store } from '../../stores/store.ts';
import { workflowChecker, workflowKind, type Nameable } from '../workflows/workflow-problems.ts';
import { appChecker, type AppChecks } from './app-definitions.ts';
import { isThereIn } from './apps-now.ts';

interface DefinedIn {
  readonly config: Pick<Config, 'apps' | 'workflows' | 'connections' | 'limits'>;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly flows: AppChecks['flows'];
  /** False where nobody works. */
  readonly hasTools: boolean;
  readonly clean: DefinitionsSettings['clean'];
}

/** Apps and workflows as data, each checked by what is configured here. */
export function definitionsIn({ config, store, catalog, flows, hasTools, clean }: DefinedIn): {
  readonly definitions: DefinitionsFront;
  readonly nameable: Nameable;
} {
  const [apps, workflows] = [Object.keys(config.apps), Object.keys(config.workflows)];
  const nameable: Nameable = {
    catalog,
    hasTools,
    definitions: store.definitions,
    configured: workflows,
    connections: Object.keys(config.connections),
    limits: config.limits,
  };
  const isThere = isThereIn(store, { app: apps, workflow: workflows });
  const kinds = { app: appChecker({ flows, isThere }), [workflowKind]: workflowChecker(nameable) };
  return { nameable, definitions: definitionsFront({ store, kinds, clean, now: Date.now }) };
}
