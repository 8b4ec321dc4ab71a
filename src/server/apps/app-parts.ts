import { personas } from '../../flows/pipeline/personas.ts';
import { piiCategories } from '../../guards/pii.ts';
import { complianceCategories, safetyCategories } from '../../guards/word-lists.ts';
import type { AppParts } from '../../wire/native/apps.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import { appsFor } from './apps-for.ts';

/** What somebody can make an application of. */
export async function appParts(context: ServerContext, caller: Caller): Promise<AppParts> {
  const { catalog, definitions, nameable } = context.home;
  const own = await definitions.list(caller, { kind: 'workflow', state: 'published' });
  const workflows = new Set([...nameable.configured, ...own.map(({ name }) => name)]);
  const skill =
    (type: AppParts['skills'][number]['type']) =>
    ({ name, description = '' }: { readonly name: string; readonly description?: string }) => ({
      type,
      name,
      description,
    });
  return {
    models: catalog.agents
      .filter(({ effect }) => effect === 'pure')
      .map(({ name, model = '' }) => ({ name, description: model })),
    skills: [
      ...catalog.agents.map(skill('agent')),
      ...(await appsFor(context, caller)).map(skill('app')),
      ...catalog.tools.map(skill('tool')),
      ...[...workflows].map((name) => ({ name })).map(skill('workflow')),
    ],
    sources: catalog.tools
      .filter(({ schema }) =>
        Object.hasOwn(Object(Reflect.get(Object(schema), 'properties')) as object, 'query'),
      )
      .map(({ name, description }) => ({ name, description })),
    personas: Object.entries(personas).map(([name, description]) => ({ name, description })),
    guards: [
      { guard: 'pii', categories: [...piiCategories] },
      { guard: 'safety', categories: [...safetyCategories] },
      { guard: 'compliance', categories: [...complianceCategories] },
    ],
  };
}
