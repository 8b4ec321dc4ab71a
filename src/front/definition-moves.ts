import type { DefinitionKey } from '../run/definition.ts';
import type { Shared, SharedKey } from '../stores/store.ts';

// Who archives a version has not made it: its row goes on saying who did, and this is kept beside it.

export interface Move {
  readonly version: number;
  readonly by: string;
  readonly at: number;
}

/** The last move of each version that was moved. */
export type Moves = readonly Move[];

export async function movesOf(shared: Pick<Shared, 'list'>, key: DefinitionKey): Promise<Moves> {
  const [kept] = await shared.list(placeOf(key));
  return kept ? (JSON.parse(kept.value) as Moves) : [];
}

/** Who moved a version last, where somebody did. */
export function movedIn(
  moves: Moves,
  { version: own }: { readonly version: number },
): { readonly moved?: Omit<Move, 'version'> } {
  const move = moves.find(({ version }) => version === own);
  return move ? { moved: { by: move.by, at: move.at } } : {};
}

export async function keepMove(shared: Shared, key: DefinitionKey, move: Move): Promise<void> {
  const others = (await movesOf(shared, key)).filter(({ version }) => version !== move.version);
  await setMoves(shared, key, [...others, move]);
}

/** What is made under the name later is another one. */
export async function forgetMoves(shared: Shared, key: DefinitionKey): Promise<void> {
  if ((await movesOf(shared, key)).length > 0) await setMoves(shared, key, []);
}

async function setMoves(shared: Shared, key: DefinitionKey, moves: Moves): Promise<void> {
  const [kept] = await shared.list(placeOf(key));
  await shared.set({ ...placeOf(key), value: JSON.stringify(moves), version: kept?.version ?? 0 });
}

function placeOf({ tenant, kind, name }: DefinitionKey): SharedKey {
  return { kind: 'moved', tenant, name: `${kind} ${name}` };
}
