import type { Preferences } from '../../projections/projection.ts';
import { present } from '../../run/present.ts';
import { everything, Showing } from '../../wire/native/query.ts';
import { parsed } from '../../run/parsed.ts';
import { OwnPreferences } from '../../wire/native/people.ts';
import type { Caller } from '../access/caller.ts';
import type { ServerContext } from '../context.ts';
import type { Kind } from '../shared/kind.ts';
import { type SharedStore, watchedKind } from '../shared/watched-kind.ts';

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

type Person = Pick<Caller, 'tenant' | 'who'>;

/** What people prefer to see, whatever app shows it. */
export interface People {
  preferencesOf(person: Person): OwnPreferences;
  prefer(person: Person, preferences: OwnPreferences): Promise<void>;
  /** Look what was changed elsewhere, should nobody have told. */
  lookAgain(): Promise<void>;
}

/** By person. */
const preferencesKind: Kind<OwnPreferences> = { kind: 'preferences', schema: OwnPreferences };

export async function peopleOf(store: SharedStore): Promise<People> {
  const watched = await watchedKind(store, preferencesKind);
  return {
    preferencesOf: ({ tenant, who }) => watched.get(tenant, who) ?? {},
    async prefer({ tenant, who }, preferences) {
      await watched.change(tenant, who, () => preferences);
    },
    lookAgain: () => watched.lookAgain(),
  };
}

/** What somebody is shown of a run: what they ask for, else what they prefer, else what its app does, field by field. */
export function shownTo(
  { context, caller }: { readonly context: ServerContext; readonly caller: Person },
  app: string,
  { stages, names, depth }: Asked,
): Preferences {
  const { verbosity: _, ...own } = context.people.preferencesOf(caller);
  return context.home.preferences(app, { ...own, ...present({ stages, names, depth }) });
}
