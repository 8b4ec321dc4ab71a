/** The key of the turn that goes on with what was answered. */
export function turnAfter(key: string): string {
  const [, first = key, round = '0'] = /^(.*) goes on (\d+)$/s.exec(key) ?? [];
  return `${first} goes on ${Number(round) + 1}`;
}
