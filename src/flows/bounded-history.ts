import type { Exchange, Scope } from '../engine/scope.ts';
import type { CoordinateSettings } from './coordinate-settings.ts';

const defaultExchanges = 8;
const defaultCharacters = 24_000;

/** The newest exchanges that fit; what was left out is said. */
export function bounded(
  scope: Scope,
  history: readonly Exchange[],
  {
    exchanges = defaultExchanges,
    characters = defaultCharacters,
  }: Pick<CoordinateSettings, 'exchanges' | 'characters'>,
): readonly Exchange[] {
  const kept: Exchange[] = [];
  let size = 0;
  for (const exchange of history.toReversed()) {
    size += exchange.text.length + exchange.answer.length;
    if (kept.length >= exchanges || size > characters) break;
    kept.unshift(exchange);
  }
  const left = history.length - kept.length;
  if (left > 0)
    scope.notice(
      'HISTORY_BOUNDED',
      `${left} earlier exchanges were left out; the last ${kept.length} were sent.`,
    );
  return kept;
}
