import type { Preferences } from '../../projections/projection.ts';
import { present } from '../../run/present.ts';
import { OwnPreferences } from '../../wire/native/people.ts';
import type { Caller } from '../access/caller.ts';
import type { ServerContext } from '../context.ts';
import type { Kind } from '../shared/kind.ts';
import { watchedKind, type SharedStore } from '../shared/watched-kind.ts';
import type { Asked } from './preferring.ts';

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
