import type { Json } from './json.ts';

/** What a message says about which users it means, as arguments of `search_users`. */
export function filterIn(message: string): { readonly [key: string]: Json } {
  const name = String.raw`([\p{L}][\p{L}'’-]*)`;
  // Capital letters tell a last name from any other word, so case must count here.
  const full = new RegExp(
    `\\b(?:[Nn]amed|[Cc]alled|with (?:the )?name|by the name of)\\s+["“]?${name}(?:\\s+(\\p{Lu}[\\p{L}'’-]*))?`,
    'u',
  ).exec(message);
  const first = new RegExp(`\\bfirst name (?:is |of |being )?["“]?${name}`, 'iu').exec(message)?.[1];
  const last = new RegExp(`\\b(?:last name|surname) (?:is |of |being )?["“]?${name}`, 'iu').exec(
    message,
  )?.[1];
  const city = /\b(?:in|from|living in|based in)\s+(\p{Lu}\p{L}+(?:\s\p{Lu}\p{L}+)?)/u.exec(message)?.[1];
  const email = emailIn(message);
  const filter: Record<string, Json> = {};
  if (full?.[1] !== undefined) filter[full[2] === undefined ? 'name' : 'first_name'] = full[1];
  if (full?.[2] !== undefined) filter['last_name'] = full[2];
  if (first !== undefined) filter['first_name'] = first;
  if (last !== undefined) filter['last_name'] = last;
  if (city !== undefined) filter['city'] = city;
  if (email !== undefined) filter['email'] = email;
  return filter;
}

export function emailIn(message: string): string | undefined {
  return /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(message)?.[0];
}

/** A number that stands for one user: “user 17”, “#17” or “id 17”. */
export function idIn(message: string): number | undefined {
  const id = /(?:\busers?\s+|#|\bid\s*[:=]?\s*)(\d+)\b/i.exec(message)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** A first and a last name, such as in “Find Olivia Nguyen”. */
export function personIn(
  message: string,
): { readonly first_name: string; readonly last_name: string } | undefined {
  const [, first, last] =
    /\b(?:find|show|delete|remove|erase|update|change|create|add|user|of|for|is|named|called)\s+(?:a |the )?(?:new )?(?:user )?(?:named |called )?(\p{Lu}[\p{L}'’-]+)\s+(\p{Lu}[\p{L}'’-]+)/u.exec(
      message.replace(/^\p{L}/u, (letter) => letter.toLowerCase()),
    ) ?? [];
  return first === undefined || last === undefined ? undefined : { first_name: first, last_name: last };
}

const fields: readonly (readonly [RegExp, string])[] = [
  [/\bfirst name\b/i, 'first_name'],
  [/\b(?:last name|surname)\b/i, 'last_name'],
  [/\be-?mail\b/i, 'email'],
  [/\bphone\b/i, 'phone'],
  [/\bcity\b|\bmove\b/i, 'city'],
  [/\b(?:role|job|title)\b/i, 'role'],
];

/** “Set the city of … to Perth” as `{ city: 'Perth' }`. */
export function changeIn(message: string): { readonly [key: string]: Json } | undefined {
  const name = fields.find(([pattern]) => pattern.test(message))?.[1];
  const value = /\bto\s+["“]?([^"”]+?)["”]?[.!]?$/i.exec(message.trim())?.[1];
  return name === undefined || value === undefined ? undefined : { [name]: value };
}
