import type { AuthSettings } from '../../catalog/server-settings.ts';
import { badgesOf, type Badges } from './badges.ts';
import {
  type Caller,
  callerReader,
  lockOf,
  looksAtRequests,
  type LooksAtRequests,
  type Surroundings,
  type Visit,
} from './honest.ts';
import { keyringOf, type Keyring } from './keyring.ts';
import type { KeyRecord } from './keys.ts';
import { ensureLocalKey, localKeyFile, type KeyPlace } from './local-key.ts';
import type { SharedStore } from '../shared/watched-kind.ts';
import { signInLinks } from './sign-in-links.ts';
import { atThisMachine } from './owners-way.ts';

/** Decides who comes in. Nothing is read of a request before it has been here. */
export interface Door extends LooksAtRequests {
  /** Whether a key is asked for. */
  readonly isLocked: boolean;
  /** How whoever must say who they are does so. */
  readonly introduction: string;
  readonly badges: Badges;
  /** Where the key of whoever owns the folder is, if the door had to make one or was asked to. */
  readonly keyFile?: string;
  /** What signs one browser in as whoever owns the folder, where «auth.local» asks for that. */
  readonly ticket?: string;
  /** Who it is; undefined if they have not said, or not so that it counts. */
  callerOf(visit: Visit): Promise<Caller | undefined>;
  /** Who has a key or a token; undefined if it is not good. */
  holderOf(credential: string): Promise<Caller | undefined>;
  /** Whom a link signs in; undefined if it is not good any more. */
  bearerOf(ticket: string): Caller | undefined;
  /** Whether somebody who came in earlier may stay. */
  mayStay(caller: Caller): boolean;
  /** Look what was changed elsewhere, should nobody have told: keys, and who signed out. */
  lookAgain(): Promise<void>;
  /** Why what was changed about keys is not seen; undefined while it is. */
  trouble(): string | undefined;
}

export interface DoorSettings {
  readonly folder: string;
  readonly store: SharedStore;
  readonly auth: AuthSettings;
  readonly server: Surroundings;
  readonly now: () => number;
  readonly problem: (message: string, cause: unknown) => void;
  /** Tells whoever started the server what cannot wait. */
  readonly warn?: (line: string) => void;
  /** Called with every key and token that somebody came in with: it is recorded nowhere. */
  readonly seen?: (credential: string) => void;
}

export async function doorOf(settings: DoorSettings): Promise<Door> {
  const { folder, store, auth, server, now, problem, seen = () => {} } = settings;
  const lock = lockOf(auth, server);
  const { isLocked } = lock;
  const keyring = await keysOf(settings);
  const badges = await badgesOf(store, lock);
  const links = signInLinks();
  const looks = looksAtRequests(server, lock);
  // What reads tokens of others is loaded where there are any.
  const readJwt =
    auth.jwt &&
    (await import('./tokens.ts')).jwtReader(auth.jwt, (why) =>
      problem('A token was refused for a name in it.', why),
    );
  const isAlone = isLocked && keyring.isEmpty && auth.jwt === undefined;
  const owner =
    auth.local === 'key' || isAlone
      ? await ownerOf({ folder, shared: store.shared, keyring }, now())
      : undefined;

  const holderOf = async (credential: string): Promise<Caller | undefined> => {
    const record = await keyring.find(credential);
    const known = record ? callerWith(record) : await readJwt?.(credential);
    // On this machine, for this machine: nobody needs a key, so any will do.
    const holder = known ?? (isLocked ? undefined : atThisMachine);
    // Only what is good: else anybody could make words of others disappear.
    if (holder) seen(credential);
    return holder;
  };
  const mayStay = (caller: Caller): boolean =>
    (caller.key === undefined || keyring.isGood(caller.key)) &&
    (caller.expiresAt === undefined || caller.expiresAt > now()) &&
    !badges.isEnded(caller);

  return {
    isLocked,
    introduction: 'send a key as «Authorization: Bearer …»',
    badges,
    ...(owner ? { keyFile: localKeyFile(folder) } : {}),
    ...(owner && auth.local === 'key' ? { ticket: links.make(owner, now()) } : {}),
    holderOf,
    mayStay,
    ...looks,
    callerOf: callerReader({ isLocked, badges, ...looks, seen, holderOf, mayStay }),
    bearerOf(ticket) {
      const caller = links.take(ticket, now());
      return caller && mayStay(caller) ? caller : undefined;
    },
    async lookAgain() {
      await Promise.all([keyring.lookAgain(), badges.lookAgain()]);
    },
    trouble: () => keyring.trouble(),
  };
}

async function keysOf({ store, now, problem, warn = () => {} }: DoorSettings): Promise<Keyring> {
  const keyring: Keyring = await keyringOf(store, {
    now,
    problem(cause) {
      problem('Keys that were made or revoked are not seen.', cause);
      warn(keyring.trouble() ?? '');
    },
    restored: () => warn('The keys are read again: what was made or revoked meanwhile is seen.'),
  });
  return keyring;
}

async function ownerOf(place: KeyPlace, now: number): Promise<Caller | undefined> {
  const record = await place.keyring.find(await ensureLocalKey(place, now));
  return record && callerWith(record);
}

function callerWith({ id, tenant, name, role, expiresAt }: KeyRecord): Caller {
  return { tenant, who: name, role, key: id, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
