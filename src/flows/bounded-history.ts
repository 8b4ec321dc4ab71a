import type { Exchange, Scope } from '../engine/scope.ts';
import type { CoordinateSettings } from './coordinate/settings.ts';

const defaultExchanges = 8;
const defaultCharacters = 24_000;

type Bounds = Pick<CoordinateSettings, 'exchanges' | 'characters'>;

/** The newest exchanges that fit. */
export function bounded(
  history: readonly Exchange[],
  { exchanges = defaultExchanges, characters = defaultCharacters }: Bounds,
): readonly Exchange[] {
  const kept: Exchange[] = [];
  let size = 0;
  for (const exchange of history.toReversed()) {
    size += exchange.text.length + exchange.answer.length;
    if (kept.length >= exchanges || size > characters) break;
    kept.unshift(exchange);
  }
  return kept;
}

/** The same, and what was left out is said. */
export function boundedAloud(
  scope: Scope,
  history: readonly Exchange[],
  bounds: Bounds,
): readonly Exchange[] {
  const kept = bounded(history, bounds);
  const left = history.length - kept.length;
  if (left > 0)
    scope.notice(
      'HISTORY_BOUNDED',
      `${left} earlier exchanges were left out; the last ${kept.length} were sent.`,
    );
  return kept;
}
