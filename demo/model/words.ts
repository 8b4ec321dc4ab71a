const common = new Set(
  (
    'a about above after all also am an and any are as at be been before being below between both but by can could did do ' +
    'does doing down each else every few for from further get give had has have having he her here hers him his how i if in ' +
    'into is it its just let like made make me more most much must my need no nor not now of off on once one only or other ' +
    'our out over own please same say says shall she should show so some such tell than that the their them then there these ' +
    'they this those through to too under until up us use very want was we were what when where which while who whom why will ' +
    'with would you your'
  ).split(' '),
);

/** The words of a text that mean something, in the order they come, each brought to its stem. */
export function stems(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !common.has(word)).map(stem);
}

/** Brings a word to a form that its plural and its other endings share. Rough, and the same for everyone. */
export function stem(word: string): string {
  const plain = word
    .toLowerCase()
    .replace(/fiber/, 'fibre')
    .replace(/(?<=...)iz(?=e|ing|ation)/, 'is');
  if (plain.length < 4) return plain;
  return plain
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=[sxz]|ch|sh)es$/, '')
    .replace(/(?<=[^su])s$/, '')
    .replace(/(?<=...)(?:ing|ed)$/, '')
    .replace(/(?<=...)e$/, '');
}

/** How many of the wanted stems a text has. */
export function overlap(wanted: readonly string[], text: string): number {
  const found = new Set(stems(text));
  return new Set(wanted.filter((word) => found.has(word))).size;
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en-AU')} ${count === 1 ? word : `${word}s`}`;
}

export function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
