import { z } from 'zod';
import { appParts } from '../apps/app-parts.ts';
import { route } from '../routes/route.ts';
import { allApplications } from './applications.ts';

const shared = { tag: 'applications', role: 'viewer', addresses: 'tenant', method: 'GET' } as const;

const Skill = z.object({
  skill_id: z.string(),
  skill_type: z.string(),
  skill_name: z.string(),
  skill_description: z.string(),
});

/** What an application can be made of. */
export const lookupRoutes = [
  route({
    ...shared,
    path: '/api/skills',
    about: 'What can be a skill of an application: agents, apps, tools and workflows.',
    query: z.strictObject({ type: z.string().max(40).optional() }),
    answers: { 200: { about: 'All of them.', schema: z.object({ skills: z.array(Skill) }) } },
    async handle({ context, caller, query: { type } }) {
      const all = (await appParts(context, caller)).skills.map((skill) => ({
        skill_id: skill.name,
        skill_type: skill.type,
        skill_name: skill.name,
        skill_description: skill.description,
      }));
      return {
        status: 200,
        json: { skills: all.filter((one) => type === undefined || one.skill_type === type) },
      };
    },
  }),
  route({
    ...shared,
    path: '/api/llms',
    about: 'Agents that can plan, enhance and answer.',
    answers: {
      200: {
        about: 'All of them.',
        schema: z.object({
          llms: z.array(z.object({ llm_id: z.string(), name: z.string(), model: z.string() })),
        }),
      },
    },
    async handle({ context, caller }) {
      const { models } = await appParts(context, caller);
      const llms = models.map(({ name, description }) => ({ llm_id: name, name, model: description }));
      return { status: 200, json: { llms } };
    },
  }),
  route({
    ...shared,
    path: '/api/data-sources',
    about: 'Tools that take a query, for passages.',
    answers: {
      200: {
        about: 'All of them.',
        schema: z.object({
          data_sources: z.array(
            z.object({ data_source_id: z.string(), name: z.string(), description: z.string() }),
          ),
        }),
      },
    },
    async handle({ context, caller }) {
      const { sources } = await appParts(context, caller);
      const data_sources = sources.map((source) => ({ data_source_id: source.name, ...source }));
      return { status: 200, json: { data_sources } };
    },
  }),
  route({
    ...shared,
    path: '/api/personas',
    about: 'The personas that ship.',
    answers: { 200: { about: 'All of them.', schema: z.object({ personas: Named('persona_id') }) } },
    async handle({ context, caller }) {
      const { personas } = await appParts(context, caller);
      const told = personas.map((persona) => ({ persona_id: persona.name, ...persona }));
      return { status: 200, json: { personas: told } };
    },
  }),
  route({
    ...shared,
    path: '/api/guardrail-categories',
    about: 'The categories of guards that ship.',
    answers: {
      200: { about: 'All of them.', schema: z.object({ guardrail_categories: Named('category_id') }) },
    },
    handle: () => ({ status: 200, json: { guardrail_categories: guardCategories } }),
  }),
  ...(['designations', 'business-units', 'tags'] as const).map((what) =>
    route({
      ...shared,
      path: `/api/${what}`,
      about: `The ${what.replace('-', ' ')} that applications name.`,
      answers: {
        200: {
          about: 'All of them.',
          schema: z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) }),
        },
      },
      async handle({ context, caller }) {
        const field = {
          designations: 'designation_ids',
          'business-units': 'business_unit_ids',
          tags: 'tag_ids',
        } as const;
        const all = (await allApplications(context, caller)).flatMap((app) => app[field[what]]);
        const items = [...new Set(all)].toSorted().map((name) => ({ id: name, name }));
        return { status: 200, json: { items } };
      },
    }),
  ),
];

const guardCategories = [
  { category_id: 'compliance', name: 'Compliance', description: 'promises, insider knowledge and evasion' },
  {
    category_id: 'pii',
    name: 'PII',
    description: 'e-mail addresses, telephone numbers, cards, IBANs, US social security numbers',
  },
  {
    category_id: 'safety',
    name: 'Safety',
    description: 'violence, weapons, self-harm, drugs, intrusion, hate',
  },
];

function Named(id: string) {
  return z.array(z.object({ [id]: z.string(), name: z.string(), description: z.string() }));
}
