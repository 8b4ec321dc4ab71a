import type { Message } from '../../gateways/gateway.ts';

/** What is asked in a turn: the last message of the person, or the last of all. */
export function placeOfLast(messages: readonly Message[]): number {
  const place = messages.findLastIndex(({ role }) => role === 'user');
  return place < 0 ? messages.length - 1 : place;
}
