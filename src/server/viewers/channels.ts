import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  type Telling,
  type Protocol as AnyProtocol,
  type ViewOptions,
  Preferences,
} from '../../projections/projection.ts';
import type { Entry } from '../../run/events.ts';
import type { Journal } from '../../stores/store.ts';
import { sse, type Framing, type WireFrame } from '../../wire/framing.ts';
import { archiveOf, type Archive } from './archive.ts';
import { Channel } from './channel.ts';
import { Places } from './places.ts';
import { nativeSource, toldSource, type Source, type Teller } from './source.ts';
import type { Sink, Viewer } from './viewer.ts';
import { RunError } from '../../run/failure.ts';
import { Showing, everything } from '../../wire/native/query.ts';
import { parsed } from '../../run/values.ts';
import type { Caller } from '../access/honest.ts';
import { OwnPreferences } from '../../wire/native/people.ts';
import type { Kind } from '../shared/kind.ts';
import { type SharedStore, watchedKind } from '../shared/watched-kind.ts';
import type { ServerContext } from '../context.ts';
import type { OpenFolder } from '../folder/open-folder.ts';
import { decodeAll } from '../../run/entries.ts';
import { present } from '../../run/tree.ts';

export interface Watched {
  readonly run: string;
  /** Its last entry, as far as is known. */
  readonly head: number;
  /** The name of the protocol with all that changes its frames: those of one name share them. */
  readonly as: string;
  /** Its frames are what the journal keeps. */
  readonly isNative?: boolean;
  readonly telling: () => Telling<WireFrame>;
}

export interface Count {
  readonly viewers: number;
  readonly stalled: number;
  /** Bytes that wait for viewers to take them. */
  readonly held: number;
  readonly channels: number;
}

export interface ChannelsSettings {
  readonly journal: Pick<Journal, 'read' | 'follow' | 'watch'>;
  readonly clean: (frames: string) => string;
  readonly now: () => number;
  readonly problem: (run: string, cause: unknown) => void;
  readonly delivered: (characters: number) => void;
  /** How long a viewer may take nothing before it is cut off, in milliseconds. It loses nothing: it has a cursor. */
  readonly patience: number;
}

/** Connections are kept open and looked after at this pace. Milliseconds. */
const tick = 1_000;
const beat = 25_000;
/** A channel is kept for a moment after its last viewer: they mostly come back. */
const linger = 10_000;
/** How long those who catch up get to hear the end when the server closes. They have a cursor for the rest. */
const lastWords = 2_000;

/** Entries that a channel takes with it to become live, instead of reading them for its viewer apart. */
const nearHead = 100;

/** Of so many runs and protocols it is kept what is needed to go on telling. */
const toldRuns = 256;

interface Place {
  readonly run: string;
  readonly channel: Channel;
  emptySince: number | undefined;
}

/** Everyone who watches something here. */
export class Channels {
  readonly #settings: ChannelsSettings;
  readonly #archive: Archive;
  readonly #places = new Map<string, Place>();
  /** Tellings that were kept, for those who come back. */
  readonly #told = new LRUCache<string, Places<Teller>>({ max: toldRuns });
  readonly #looking: NodeJS.Timeout;
  #beaten: number;

  constructor(settings: ChannelsSettings) {
    this.#settings = settings;
    this.#archive = archiveOf(settings.journal);
    this.#beaten = settings.now();
    this.#looking = setInterval(() => this.#look(), tick);
    this.#looking.unref();
  }

  watch(watched: Watched, sink: Sink, after: number): Viewer {
    const { framing = sse } = sink;
    const key = `${framing.name} ${watched.as} ${watched.run}`;
    const known = this.#places.get(key);
    if (known && !known.channel.isClosed) return known.channel.join(sink, after);
    const begun = { ...watched, head: beginningFor(watched.head, after) };
    const place = { run: watched.run, channel: this.#channel(begun, framing), emptySince: undefined };
    this.#places.set(key, place);
    return place.channel.join(sink, after);
  }

  /** The run is gone, and with it what was kept of it. */
  forget(run: string): void {
    this.#archive.forget(run);
    for (const key of this.#told.keys()) if (key.endsWith(` ${run}`)) this.#told.delete(key);
    for (const [key, place] of this.#places) {
      if (place.run !== run) continue;
      this.#places.delete(key);
      place.channel.close();
    }
  }

  count(): Count {
    const viewers = [...this.#places.values()].flatMap(({ channel }) => [...channel.viewers]);
    const stalled = viewers.filter(({ is }) => is === 'stalled').length;
    const held = viewers.reduce((bytes, { sink }) => bytes + sink.held(), 0);
    return { viewers: viewers.length, stalled, held, channels: this.#places.size };
  }

  /** Let go of what nobody watches any more. */
  sweep(): void {
    this.#look(0);
  }

  /** Everyone gets what there is, with the end of what has ended, and whoever is left is told to come back. */
  async close(): Promise<void> {
    clearInterval(this.#looking);
    const until = this.#settings.now() + lastWords;
    await Promise.all([...this.#places.values()].map((place) => this.#finish(place, until)));
    for (const { channel } of this.#places.values()) channel.close('reconnect');
    this.#places.clear();
  }

  /** What was committed a moment ago may still be on its way here. */
  async #finish({ run, channel }: Place, until: number): Promise<void> {
    if (channel.viewers.size === 0) return;
    try {
      const last = await lastOf(this.#settings.journal, run, channel.head);
      const come = { head: last?.seq ?? 0, isOver: last?.event.type === 'run.ended' };
      while (!channel.isClosed && !channel.hasTold(come) && this.#settings.now() < until) await sleep(5);
    } catch (cause) {
      this.#settings.problem(run, cause);
    }
  }

  #channel(watched: Watched, framing: Framing): Channel {
    const { run } = watched;
    const { now, problem, delivered } = this.#settings;
    return new Channel({
      source: this.#source(watched, framing),
      now,
      problem: (cause) => problem(run, cause),
      delivered,
    });
  }

  /** What the journal keeps is what native viewers get, where they get text. */
  #source({ run, head, as, telling, isNative }: Watched, framing: Framing): Source {
    const { journal, clean } = this.#settings;
    const parts = { run, journal, archive: this.#archive, clean, framing };
    if (isNative && framing === sse) return nativeSource(parts, head);
    const key = `${as} ${run}`;
    const places = this.#told.get(key) ?? new Places<Teller>(telling());
    this.#told.set(key, places);
    return toldSource({ ...parts, places }, head);
  }

  #look(lingering = linger): void {
    const at = this.#settings.now();
    const isBeat = at - this.#beaten >= beat;
    if (isBeat) this.#beaten = at;
    for (const [key, place] of this.#places) {
      place.channel.look({ isBeat, stalledBefore: at - this.#settings.patience });
      if (place.channel.viewers.size > 0) place.emptySince = undefined;
      else place.emptySince ??= at;
      if (place.emptySince === undefined || at - place.emptySince < lingering) continue;
      this.#places.delete(key);
      place.channel.close();
    }
  }
}

/** Whoever opens a channel at the beginning of a short run, as nearly all do, gets it in the one read that makes it live. */
function beginningFor(head: number, after: number): number {
  return head - after <= nearHead ? after : head;
}

/** The last entry of a run that has come at least to `known`. */
async function lastOf(
  journal: Pick<Journal, 'read'>,
  run: string,
  known: number,
): Promise<Entry | undefined> {
  let frames = '';
  for (let after = Math.max(0, known - 1); ;) {
    const last = (await journal.read(run, after)).at(-1);
    if (!last) return decodeAll(frames).at(-1);
    ({ frames, last: after } = last);
  }
}

export type Protocol = AnyProtocol<WireFrame, Framing>;

/** How a run is told. Those of one name share their frames. */
export interface Told {
  readonly as: string;
  /** Begun by who needs it: what the journal keeps is shown as it stands. */
  readonly telling: () => Telling<WireFrame>;
  /** Its frames are what the journal keeps. */
  readonly isNative: boolean;
}

/** The protocols a viewer can ask for by name. */
export interface Protocols {
  readonly names: readonly string[];
  named(as: string): Protocol;
  telling(as: string, options: ViewOptions): Told;
}

/** The entries themselves. */
export const nativeProtocol = 'steps';

export function protocolsOf(all: readonly Protocol[]): Protocols {
  const byName = new Map(all.map((protocol) => [protocol.name, protocol]));
  const names = [...byName.keys()];
  const named = (as: string): Protocol => {
    const protocol = byName.get(as);
    if (protocol) return protocol;
    const known = names.join(', ');
    throw new RunError('malformed', `There is no protocol «${as.slice(0, 60)}»; known: ${known}.`);
  };
  return {
    names,
    named,
    telling(as, options) {
      const protocol = named(as);
      const { run: _, ...shape } = options;
      const isWhole = Object.keys(options.preferences ?? {}).length === 0;
      const isNative = as === nativeProtocol && isWhole;
      const name = isNative ? as : `${as} ${JSON.stringify(shape)}`;
      return { as: name, isNative, telling: () => protocol.telling(options) };
    },
  };
}

/** What a viewer asks to be shown. */
export type Asked = Showing;

/** The same, from somebody who types. */
export function askedFrom(typed: Readonly<Record<string, unknown>>): Asked {
  return parsed(Showing, present(typed), 'What to show');
}

/** What an app prefers, and over it, field by field, what its viewer asks for. Nothing is left of what hides nothing. */
export function preferencesFor(app: Preferences = {}, asked: Asked = {}): Preferences {
  const names = typeof asked.names === 'string' ? [asked.names] : asked.names;
  const chosen = { ...app, ...present({ stages: asked.stages, names, depth: asked.depth }) };
  const { stages, depth } = chosen;
  return present({
    stages: stages === 'nested' ? undefined : stages,
    names: chosen.names?.includes(everything) ? undefined : chosen.names,
    depth: depth === everything ? undefined : depth,
  });
}

type Person = Pick<Caller, 'tenant' | 'who'>;

/** What people prefer to see, whatever app shows it. */
export interface People {
  preferencesOf(person: Person): OwnPreferences;
  prefer(person: Person, preferences: OwnPreferences): Promise<void>;
  /** Look what was changed elsewhere, should nobody have told. */
  lookAgain(): Promise<void>;
}

/** By person. */
const preferencesKind: Kind<OwnPreferences> = { kind: 'preferences', schema: OwnPreferences };

export async function peopleOf(store: SharedStore): Promise<People> {
  const watched = await watchedKind(store, preferencesKind);
  return {
    preferencesOf: ({ tenant, who }) => watched.values.get(tenant)?.get(who) ?? {},
    async prefer({ tenant, who }, preferences) {
      await watched.change(tenant, who, () => preferences);
    },
    lookAgain: () => watched.lookAgain(),
  };
}

/** What somebody is shown of a run: what they ask for, else what they prefer, else what its app does, field by field. */
export function shownTo(
  { context, caller }: { readonly context: ServerContext; readonly caller: Person },
  app: string,
  { stages, names, depth }: Asked,
): Preferences {
  const { verbosity: _, ...own } = context.people.preferencesOf(caller);
  return context.home.preferences(app, { ...own, ...present({ stages, names, depth }) });
}

export function preferencesIn(byApp: ReadonlyMap<string, Preferences>): OpenFolder['preferences'] {
  return (app, asked) => preferencesFor(byApp.get(app), asked);
}
