import { z } from 'zod';
import { Preferences } from '../../projections/projection.ts';
import { present } from '../../run/present.ts';
import { parsed } from '../http/parsed.ts';

/** Takes back what an app says: every name, any depth. */
const everything = '*';

const Depth = z
  .string()
  .regex(/^(\*|\d{1,3}|1000)$/, 'give a whole number up to 1000, or * for all')
  .transform((text): number | typeof everything => (text === everything ? everything : Number(text)));

/** What a viewer can ask to be shown, as it stands in an address or is typed. */
export const Asked = {
  /** What to show of the inner stages of other agents. */
  stages: Preferences.shape.stages,
  /** The only stages to show, by their titles; `*` for all. */
  names: z.union([z.string(), z.array(z.string())]).optional(),
  /** How many levels of steps to show; `*` for all. */
  depth: Depth.optional(),
} as const;
export type Asked = z.infer<z.ZodObject<typeof Asked>>;

/** The same, from somebody who types. */
export function askedFrom(typed: Readonly<Record<string, unknown>>): Asked {
  return parsed(z.strictObject(Asked), present(typed), 'What to show');
}

/** What an app prefers, and over it, field by field, what its viewer asks for. Nothing is left of what hides nothing. */
export function preferencesFor(app: Preferences = {}, asked: Asked = {}): Preferences {
  const names = typeof asked.names === 'string' ? [asked.names] : asked.names;
  const chosen = { ...app, ...present({ stages: asked.stages, names, depth: asked.depth }) };
  const { stages, depth } = chosen;
  return present({
    stages: stages === 'nested' ? undefined : stages,
    names: chosen.names?.includes(everything) ? undefined : chosen.names,
    depth: depth === everything ? undefined : depth,
  });
}
