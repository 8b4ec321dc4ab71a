/** About how many tokens this many characters are, where nobody counted them. */
export function tokensIn(characters: number): number {
  return Math.ceil(characters / 4);
}
