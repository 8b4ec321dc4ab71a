// The rows of the reliability and security batteries, and which of them wait for a part of the product that is not there.

const exempt: Readonly<Record<string, string>> = {
  R43: 'many machines',
  R44: 'many machines',
  R45: 'many machines',
  R46: 'many machines',
  R52: 'a second release',
  S16: 'the web app',
  S17: 'the web app',
  S18: 'the web app',
  S19: 'the web app',
  S20: 'the web app',
  S46: 'nothing unpacks archives',
  S58: 'needs a network',
};

const rows = [...numbered('R', 57), ...numbered('S', 60)];

/** The rows that a test must carry. */
export const battery: readonly string[] = rows.filter((row) => exempt[row] === undefined);

function numbered(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${letter}${String(i + 1).padStart(2, '0')}`);
}
