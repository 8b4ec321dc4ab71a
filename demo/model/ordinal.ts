const ordinals = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];

/** The place in a list a message speaks of: “the second one” is 1, “the last one” is -1. */
export function ordinalIn(message: string): number | undefined {
  const word = new RegExp(`\\b(?:the\\s+)?(${ordinals.join('|')}|last)\\b(?!\\s+names?\\b)`, 'i').exec(
    message,
  )?.[1];
  if (word !== undefined) return word.toLowerCase() === 'last' ? -1 : ordinals.indexOf(word.toLowerCase());
  const number = /\b(\d+)(?:st|nd|rd|th)\b/.exec(message)?.[1] ?? /\bnumber (\d+)\b/i.exec(message)?.[1];
  return number === undefined ? undefined : Number(number) - 1;
}
