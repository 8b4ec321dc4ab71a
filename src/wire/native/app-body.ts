import { z } from 'zod';

const texts = z.array(z.string());

/** What an application can have done, and what the planner is told of it. */
export const AppSkill = z.object({
  name: z.string(),
  type: z.enum(['agent', 'app', 'tool', 'workflow']),
  title: z.string().optional(),
  description: z.string(),
  /** Whether it is sent the passages that were found. */
  passages: z.boolean(),
});
export type AppSkill = z.infer<typeof AppSkill>;

export const GuardAction = z.enum(['redact', 'block', 'ask']);
export type GuardAction = z.infer<typeof GuardAction>;

/** One guard: what it finds, and what becomes of that. */
export const AppGuard = z.object({
  guard: z.enum(['pii', 'safety', 'compliance', 'rules', 'judge']),
  /** As usual on its side, unless said: it blocks what people send, and hides it in answers. */
  action: GuardAction.optional(),
  onFailure: z.enum(['block', 'pass']).optional(),
  /** All that it knows, unless said. */
  categories: texts.optional(),
  /** Of rules, one a line; of a judge, what it goes by. */
  text: z.string().optional(),
  /** Who judges. */
  agent: z.string().optional(),
});
export type AppGuard = z.infer<typeof AppGuard>;

/** What an application is: its description, the settings of its flow, and what it lets pass. */
export const AppBody = z.object({
  description: z.string(),
  settings: z.object({
    models: z.object({
      planner: z.string().optional(),
      enhancer: z.string().optional(),
      general: z.string().optional(),
    }),
    persona: z.object({
      preset: z.string().optional(),
      text: z.string().optional(),
      designations: texts,
      businessUnits: texts,
      tags: texts,
    }),
    retrieval: z.object({ tools: texts, passages: z.int(), uploads: z.boolean() }),
    skills: z.array(AppSkill),
    chat: z.object({
      name: z.string().optional(),
      welcome: z.string().optional(),
      disclaimer: z.string().optional(),
      sorry: z.string().optional(),
      starters: texts,
      logo: z.string().optional(),
    }),
    access: z.object({ everyone: z.boolean(), people: texts }),
  }),
  guards: z.object({
    input: z.array(AppGuard),
    output: z.array(AppGuard),
    covers: z.enum(['answer', 'everything']),
  }),
});
export type AppBody = z.infer<typeof AppBody>;
