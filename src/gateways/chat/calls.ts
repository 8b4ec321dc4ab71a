import { RunError } from '../../run/failure.ts';
import type { ChatCallPiece } from '../../wire/openai.ts';
import type { Turn } from '../gateway.ts';
import { createHash } from 'node:crypto';

/** `id` is given with the first piece that is told, and stays. */
interface OpenCall {
  readonly place: number;
  upstreamId: string | undefined;
  tool: string | undefined;
  id: string | undefined;
  size: number;
}

/** What a piece adds. The tool is named once, with the first one. */
interface CallPiece {
  readonly id: string;
  readonly tool: string | undefined;
  readonly text: string;
}

/** The tool calls of one turn. Pieces with one index belong together and are appended exactly as they come. */
export class ChatCalls {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();
  readonly #held = new Map<OpenCall, string>();
  readonly #ids: CallIds;
  readonly #limit: number;

  constructor(turn: Turn, limit: number) {
    this.#ids = new CallIds(turn);
    this.#limit = limit;
  }

  get hasCalls(): boolean {
    return this.#calls.length > this.#held.size;
  }

  /** How many calls have not got the name of their tool. */
  get nameless(): number {
    return this.#held.size;
  }

  /** Nothing is told of a call until its tool is known. */
  append(piece: ChatCallPiece): CallPiece | undefined {
    const call = this.#find(piece);
    const given = piece.function?.arguments ?? '';
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    call.size += text.length;
    if (call.size > this.#limit) {
      const name = call.tool ?? 'a tool';
      throw new RunError('too-large', `The arguments for ${name} are longer than ${this.#limit} characters.`);
    }
    call.upstreamId ??= piece.id || undefined;
    if (piece.id && call.upstreamId === piece.id) this.#byId.set(piece.id, call);
    call.tool ??= piece.function?.name || undefined;
    if (call.id !== undefined) return { id: call.id, tool: undefined, text };
    const held = (this.#held.get(call) ?? '') + text;
    if (call.tool === undefined) {
      this.#held.set(call, held);
      return undefined;
    }
    this.#held.delete(call);
    call.id = this.#ids.give(call.upstreamId, call.place);
    return { id: call.id, tool: call.tool, text: held };
  }

  #find(piece: ChatCallPiece): OpenCall {
    const { index, id } = piece;
    const known = typeof index === 'number' ? this.#byIndex.get(index) : this.#findWithoutIndex(piece);
    // Some servers number all calls 0: another id together with a name begins another call.
    const isOther = id && piece.function?.name && known?.upstreamId !== undefined && known.upstreamId !== id;
    if (known !== undefined && !isOther) return known;
    const place = this.#calls.length;
    const call: OpenCall = { place, upstreamId: undefined, tool: undefined, id: undefined, size: 0 };
    this.#calls.push(call);
    if (typeof index === 'number') this.#byIndex.set(index, call);
    return call;
  }

  #findWithoutIndex({ id, function: called }: ChatCallPiece): OpenCall | undefined {
    if (id) return this.#byId.get(id);
    return called?.name ? undefined : this.#calls.at(-1);
  }
}

/**
 * The ids under which the calls of one turn are told: the one upstream gave, unless it gave none, or gave it to another
 * call before. Results are told to the model by id, so two calls with one id would be mixed up. An id that is made up
 * is the same for every attempt of the turn.
 */
export class CallIds {
  readonly #taken: Set<string>;
  readonly #key: string;

  constructor({ messages, idempotencyKey }: Turn) {
    this.#taken = new Set(messages.flatMap(({ calls = [] }) => calls.map(({ id }) => id)));
    this.#key = idempotencyKey;
  }

  give(upstreamId: string | undefined, place: number): string {
    if (upstreamId !== undefined && !this.#taken.has(upstreamId)) {
      this.#taken.add(upstreamId);
      return upstreamId;
    }
    return `call_${createHash('sha256').update(this.#key).digest('hex').slice(0, 12)}_${place}`;
  }
}
