import type { Preferences } from '../../projections/projection.ts';
import { present } from '../../run/present.ts';
import { everything, Showing } from '../../wire/native/query.ts';
import { parsed } from '../../run/parsed.ts';

/** What a viewer asks to be shown. */
export type Asked = Showing;

/** The same, from somebody who types. */
export function askedFrom(typed: Readonly<Record<string, unknown>>): Asked {
  return parsed(Showing, present(typed), 'What to show');
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
