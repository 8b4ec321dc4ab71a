import { setTimeout as delay } from 'node:timers/promises';
import type { Absence } from '../../engine/world.ts';
import { RunError } from '../../run/failure.ts';
import type { Tool } from '../../tools/tool.ts';

/** Where tools come from that are not here. */
export interface ToolServer {
  readonly name: string;
  list(
    signal: AbortSignal,
  ): Promise<{ readonly tools: readonly Tool[]; readonly notices: readonly string[] }>;
  /** Who is told that it offers something else than it did. */
  onChange?(listen: () => void): void;
  close(): Promise<void>;
}

interface Shelf {
  readonly server: ToolServer;
  /** Milliseconds it may take to come up and tell what it has. */
  readonly patience: number;
  readonly tried: PromiseWithResolvers<void>;
  back: PromiseWithResolvers<void>;
  /** Undefined until it has told what it has, which may be nothing. */
  tools?: readonly Tool[];
  /** Aborts where it is not to be waited for, since it has changed. */
  changed: AbortController;
  /** Why it is away. */
  why?: Away | undefined;
  /** What was said since it went away, or came back, and of which reasons. */
  said: readonly string[];
  reasons: readonly string[];
}

interface Away {
  /** For those who see a run: by its name, and in words. */
  readonly told: string;
  /** For whoever operates it: with where it is, and what it said. */
  readonly whole: string;
}

/** How often a server that is away is tried again, and one that is there is asked again. Milliseconds. */
const again = 10_000;
const lookAgain = 60_000;
/** One that says all the time that it has changed is not asked all the time. */
const soonest = 500;

/**
 * Servers of tools, each kept up for itself: one that is away, or hangs, holds up nobody else. What it last offered stays on
 * offer, and it is tried again until it is back.
 */
export class ToolServers {
  /** Resolves when each has answered, or failed to, once. */
  readonly tried: Promise<void>;
  /** What they offer. */
  tools: readonly Tool[] = [];
  readonly #shelves: readonly Shelf[];
  readonly #closing = new AbortController();
  readonly #ofTools = new Set<string>();
  readonly #keeping: readonly Promise<void>[];
  readonly #changed: (tools: readonly Tool[]) => void;
  #unheard: readonly string[] = [];
  #hear = (notice: string): void => void (this.#unheard = [...this.#unheard, notice]);

  /** `changed` hears of it when they offer something else. */
  constructor(
    servers: readonly { readonly server: ToolServer; readonly patience: number }[],
    changed: (tools: readonly Tool[]) => void = () => {},
  ) {
    this.#changed = changed;
    this.#shelves = servers.map(({ server, patience }) => ({
      server,
      patience,
      tried: Promise.withResolvers<void>(),
      back: Promise.withResolvers<void>(),
      changed: new AbortController(),
      said: [],
      reasons: [],
    }));
    for (const shelf of this.#shelves) shelf.server.onChange?.(() => shelf.changed.abort());
    this.tried = Promise.all(this.#shelves.map(({ tried }) => tried.promise)).then(() => {});
    this.#keeping = this.#shelves.map((shelf) => this.#keep(shelf));
  }

  /** What a person should know and nobody has heard: servers that are away, tools that changed or were left out. */
  news(): readonly string[] {
    const news = this.#unheard;
    this.#unheard = [];
    return news;
  }

  /** The names of those that are away now. */
  get away(): readonly string[] {
    return this.#shelves.filter(({ why }) => why !== undefined).map(({ server }) => server.name);
  }

  /** What is news now, and from now on. */
  hear(listen: (notice: string) => void): void {
    this.#hear = listen;
    for (const notice of this.news()) listen(notice);
  }

  /** Whether a tool of this name would be one of theirs. */
  owns(tool: string): boolean {
    return this.#shelfOf(tool) !== undefined;
  }

  /** Why a tool of theirs is not there. */
  absence(tool: string): Absence | undefined {
    const shelf = this.#shelfOf(tool);
    if (!shelf || shelf.tools?.some(({ name }) => name === tool)) return undefined;
    if (shelf.tools && shelf.why === undefined) return undefined;
    const why = shelf.why?.told ?? `The MCP server ${shelf.server.name} has not answered yet.`;
    return { why, tried: shelf.tried.promise, back: shelf.back.promise };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#shelves.map(({ server }) => server.close()));
    await Promise.all(this.#keeping);
  }

  #shelfOf(tool: string): Shelf | undefined {
    const name = serverOf(tool);
    return this.#shelves.find(({ server }) => server.name === name);
  }

  async #keep(shelf: Shelf): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // What changes while it is asked may not be in the answer.
      shelf.changed = new AbortController();
      const { signal: changed } = shelf.changed;
      await this.#list(shelf, signal);
      shelf.tried.resolve();
      const pause = shelf.why === undefined ? lookAgain : again;
      await unlessAborted(pause, AbortSignal.any([signal, changed]));
      if (changed.aborted) await unlessAborted(soonest, signal);
    }
  }

  async #list(shelf: Shelf, signal: AbortSignal): Promise<void> {
    const { server, patience } = shelf;
    try {
      const enough = AbortSignal.timeout(patience);
      const { tools, notices } = await server.list(AbortSignal.any([signal, enough]));
      shelf.tools = tools;
      this.tools = this.#shelves.flatMap((each) => each.tools ?? []);
      this.#changed(this.tools);
      if (shelf.why !== undefined) this.#turn(shelf, `The MCP server ${server.name} is back.`);
      shelf.why = undefined;
      shelf.back.resolve();
      for (const notice of notices) {
        if (!this.#ofTools.has(notice)) this.#hear(notice);
        this.#ofTools.add(notice);
      }
    } catch (thrown) {
      if (signal.aborted) return;
      this.#away(shelf, whyAway(shelf, thrown));
    }
  }

  #away(shelf: Shelf, why: Away): void {
    const isNew = shelf.why === undefined;
    shelf.why = why;
    if (isNew) {
      shelf.back = Promise.withResolvers<void>();
      shelf.reasons = [why.told];
      this.#turn(shelf, why.whole);
    } else if (!shelf.reasons.includes(why.told)) {
      // In words: what a program prints as it fails may be another thing each time.
      shelf.reasons = [...shelf.reasons, why.told];
      shelf.said = [...shelf.said, why.whole];
      this.#hear(why.whole);
    }
  }

  /** It is away now, or back. What nobody has heard when it is over needs no end. */
  #turn(shelf: Shelf, notice: string): void {
    const { said } = shelf;
    const isUnheard = said.length > 0 && said.every((each) => this.#unheard.includes(each));
    this.#unheard = this.#unheard.filter((each) => !said.includes(each));
    shelf.said = [notice];
    if (!isUnheard) this.#hear(notice);
  }
}

async function unlessAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => {});
}

/** Its own sentence, «The MCP server x (program) did not start: …», says where it is and what happened. */
function whyAway({ server: { name }, patience }: Shelf, thrown: unknown): Away {
  const given = thrown instanceof RunError ? thrown.message : '';
  const [, place = '', said] = /^The MCP server \S+( at \S+| \([^)]*\))? (.*?)\.?$/s.exec(given) ?? [];
  const reason = said ?? (given || `did not answer within ${patience / 1_000} s`);
  const [inWords = reason] = reason.split(/[:;]/, 1);
  const away = (where: string, why: string): string =>
    `The MCP server ${name}${where} is away: it ${why}; it is tried again every ${again / 1_000} s.`;
  return { told: away('', inWords), whole: away(place, reason) };
}

/** The server that a tool is of, by its name. */
export function serverOf(tool: string): string | undefined {
  return tool.includes('__') ? tool.split('__', 1)[0] : undefined;
}
