import { z } from 'zod';
import { Json } from '../run/values.ts';

/** One message may tell of this many facts; a fact is a name and a little data, not a document. */
const mostFacts = 50;
const longestName = 100;
const factLimit = 8_192;

const Facts = z.record(z.string(), Json);

export interface SharedFacts {
  /** What the agent reported without the facts: that is its own. */
  readonly own: Json;
  readonly facts: Readonly<Record<string, Json>>;
  /** What was not shared, and why. */
  readonly problems: readonly string[];
}

/** Where agents put what they want others to know; the first is ours and goes before the other. */
const places = ['shared', 'shared_context'] as const;

/** Named facts an agent wants others to know, under `shared` or `shared_context` of what it reports. */
export function sharedFacts(reported: Json): SharedFacts {
  if (typeof reported !== 'object' || reported === null || Array.isArray(reported))
    return { own: reported, facts: {}, problems: [] };
  // A field of this name that is no list of facts is the agent's own business.
  const told = places.flatMap((place) => {
    const facts = Facts.safeParse(Reflect.get(reported, place)).data;
    return facts === undefined ? [] : [{ place, facts }];
  });
  const isFacts = new Set<string>(told.map(({ place }) => place));
  const own = Object.fromEntries(Object.entries(reported).filter(([name]) => !isFacts.has(name)));
  const all: Readonly<Record<string, Json>> = Object.assign(
    {},
    ...told.toReversed().map(({ facts }) => facts),
  );
  return { own: told.length === 0 ? reported : own, ...checked(all) };
}

function checked(facts: Readonly<Record<string, Json>>): Omit<SharedFacts, 'own'> {
  const given = Object.entries(facts);
  const told = given
    .slice(0, mostFacts)
    .map(([name, fact]) => ({ name, fact, problem: problemOf(name, fact) }));
  const over = given.length - told.length;
  return {
    facts: Object.fromEntries(told.flatMap(({ name, fact, problem }) => (problem ? [] : [[name, fact]]))),
    problems: [
      ...told.flatMap(({ name, problem }) =>
        problem ? `The fact «${name.slice(0, longestName)}» was not shared: ${problem}.` : [],
      ),
      ...(over > 0 ? [`${over} facts were not shared: at most ${mostFacts} may be told at once.`] : []),
    ],
  };
}

function problemOf(name: string, fact: Json): string | undefined {
  if (name === '' || name.length > longestName) return `its name must have 1 to ${longestName} characters`;
  const size = JSON.stringify(fact).length;
  return size > factLimit ? `it has ${size} characters; ${factLimit} are allowed` : undefined;
}
