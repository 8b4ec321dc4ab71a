import { z } from 'zod';
import { personaNames, personas } from './personas.ts';

/** What an application can have done. */
export const skillTypes = ['agent', 'app', 'tool', 'workflow'] as const;
export type SkillType = (typeof skillTypes)[number];

export const Skill = z.strictObject({
  /** The name of the agent, app, tool or workflow. */
  name: z.string().min(1),
  type: z.enum(skillTypes),
  title: z.string().max(100).optional(),
  /** What it is good for, as the planner is told. */
  description: z.string().max(2_000).default(''),
  /** Whether it is sent the passages that were found. */
  passages: z.boolean().default(true),
});
export type Skill = z.output<typeof Skill>;

const Texts = z.array(z.string().min(1).max(500)).max(50).default([]);

/** The settings of an application. All may be missing in a draft; `missingIn` says what it cannot be published without. */
export const PipelineSettings = z.strictObject({
  /** Agents by what they are for: planning, making requests clearer, and answering what needs no skill. */
  models: z
    .strictObject({
      planner: z.string().optional(),
      enhancer: z.string().optional(),
      general: z.string().optional(),
    })
    .prefault({}),
  persona: z
    .strictObject({
      preset: z.enum(personaNames).optional(),
      text: z.string().max(20_000).optional(),
      /** Whom it serves. */
      designations: Texts,
      businessUnits: Texts,
      tags: Texts,
    })
    .prefault({}),
  retrieval: z
    .strictObject({
      /** Tools that take a `query`. */
      tools: z.array(z.string()).max(20).default([]),
      passages: z.int().min(1).max(50).default(10),
      /** Whether people may bring documents into a conversation. */
      uploads: z.boolean().default(false),
    })
    .prefault({}),
  skills: z.array(Skill).max(50).default([]),
  chat: z
    .strictObject({
      /** What it is called on the screen. */
      name: z.string().max(200).optional(),
      welcome: z.string().max(4_000).optional(),
      disclaimer: z.string().max(4_000).optional(),
      sorry: z.string().max(4_000).optional(),
      starters: Texts,
      logo: z.string().max(200).optional(),
    })
    .prefault({}),
  access: z
    .strictObject({
      everyone: z.boolean().default(true),
      people: Texts,
    })
    .prefault({}),
});
export type PipelineSettings = z.output<typeof PipelineSettings>;

/** Something that an application cannot be published without, and the setting it belongs into. */
export interface Lack {
  readonly field: string;
  readonly lacks: string;
}

/** What an application still needs before people can use it. */
export function lacksIn({ models, skills, chat, persona }: PipelineSettings): Lack[] {
  const needs = [
    { field: 'models.planner', lacks: 'at least one model: name a planner', is: models.planner },
    { field: 'skills', lacks: 'at least one skill', is: skills.length },
    { field: 'chat.welcome', lacks: 'a welcome prompt', is: chat.welcome },
    { field: 'chat.sorry', lacks: 'a sorry message', is: chat.sorry },
    { field: 'chat.starters', lacks: 'at least one starter question', is: chat.starters.length },
    { field: 'persona', lacks: 'a persona', is: personaOf(persona) },
  ];
  return needs.flatMap(({ is, ...lack }) => (is ? [] : [lack]));
}

/** The same, a sentence for each. */
export function missingIn(settings: PipelineSettings): string[] {
  return lacksIn(settings).map(({ lacks }) => lacks);
}

/** Who it speaks as, in words. */
export function personaOf({ preset, text }: Pick<PipelineSettings['persona'], 'preset' | 'text'>): string {
  return [preset && personas[preset], text?.trim()].filter(Boolean).join('\n');
}

/** As it is called on the screen. */
export function skillTitle({ title, name }: Pick<Skill, 'title' | 'name'>): string {
  return title ?? name;
}
