/**
 * Whether a message asks to put something up on the notice board. Whoever sends messages to the duty desk asks a person
 * first if so, and the desk hands out `http_send` for such messages only: both look here.
 */
export function asksToPost(message: string): boolean {
  return /\b(?:post|publish|announce|pin|put up)\b/i.test(message);
}
