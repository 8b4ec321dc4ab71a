import { field, list, text, type Json } from './json.ts';
import type { Situation } from './situation.ts';
import { properties } from './fill-schema.ts';

/** The sites a tool knows: the codes its schema lists, and the names its description gives them. */
function placesOf({ tools }: Situation): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const { schema } of tools.values()) {
    for (const [, part] of Object.entries(properties(schema))) {
      for (const [, code = '', name = ''] of text(part, 'description').matchAll(
        /\b([A-Z]{3}) (\p{Lu}[\p{L} ]+)/gu,
      )) {
        places.set(name.trim().toLowerCase(), code);
        places.set(code.toLowerCase(), code);
      }
      for (const code of codesIn(part)) places.set(code.toLowerCase(), code);
    }
  }
  return places;
}

function codesIn(schema: Json): string[] {
  return list(schema, 'enum').filter(
    (value): value is string =>
      typeof value === 'string' && /^[A-Z]{3}$/.test(value) && field(schema, 'type') === 'string',
  );
}

/** The sites a message names, in the order it names them. */
function placesIn(message: string, situation: Situation): string[] {
  // The codes inside of a link's name are not what is asked about.
  const plain = message.replaceAll(/\bLINK[-\w]+/gi, ' ');
  const found = [...placesOf(situation)].flatMap(([word, code]) => {
    const isCode = word.length === 3;
    const at = new RegExp(
      `(?<![\\p{L}\\p{N}-])${isCode ? word.toUpperCase() : word}(?![\\p{L}\\p{N}-])`,
      isCode ? 'u' : 'iu',
    ).exec(plain)?.index;
    return at === undefined ? [] : [{ at, code }];
  });
  return [...new Set(found.sort((one, other) => one.at - other.at).map(({ code }) => code))];
}

export function placeIn(message: string, situation: Situation): string | undefined {
  return placesIn(message, situation)[0];
}

/** Two sites with a way between them. */
export function routeIn(
  message: string,
  situation: Situation,
): { readonly from: string; readonly to: string } | undefined {
  const [from, to] = placesIn(message, situation);
  if (from === undefined || to === undefined) return undefined;
  return /\b(?:route|path|way|get|between|from)\b/i.test(message) ? { from, to } : undefined;
}
