// What the official schema and client of the AI SDK do not see: whether a stream is in order, and tells all of a run once.
import { supersededLine } from '../../src/run/answer-text.ts';
import type { AiSdkFrame } from '../../src/projections/ai-sdk/scene.ts';
import type { Entry } from '../../src/run/events.ts';
import { aiSdkDone, type AiSdkChunk } from '../../src/wire/ai-sdk.ts';
import { happenedIn } from './ai-sdk-happened.ts';

/** What is out of order, or not what happened; nothing if it is right. */
export function disorderIn(frames: readonly AiSdkFrame[], entries: readonly Entry[]): string[] {
  const order = new Order();
  for (const frame of frames) order.take(frame);
  const happened = happenedIn(entries);
  const first = happened.findIndex((fact, i) => fact !== order.told[i]);
  if (first >= 0) order.faults.push(`«${order.told[first]}» and not «${happened[first]}»`);
  if (order.told.length > happened.length) order.faults.push(`«${order.told[happened.length]}» too much`);
  if (order.place !== 'over') order.faults.push(`it ends ${order.place}`);
  return order.faults;
}

const last = new Set(['finish', 'abort', 'error']);

/** A strict reader of chunks: what must come next, what is open, and what was told. */
class Order {
  readonly faults: string[] = [];
  readonly told: string[] = [];
  place: 'over' | 'begun' | 'in a step' | 'between steps' | 'at its end' = 'over';
  #answers = 0;
  /** Texts and thoughts that are open, and the step that each is of. */
  readonly #open = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #calls = new Set<string>();
  /** What the next chunk must be about: after the beginning or the end of a text. */
  #wanted: ((chunk: AiSdkChunk) => boolean) | undefined;

  take(frame: AiSdkFrame): void {
    if (frame === aiSdkDone) {
      if (this.place !== 'at its end') this.#wrong('done');
      this.place = 'over';
      return;
    }
    if (this.#wanted && !this.#wanted(frame)) this.#wrong(`${frame.type} here`);
    this.#wanted = undefined;
    if (!this.#moves(frame)) this.#content(frame);
  }

  #wrong(what: string): void {
    this.faults.push(`${what} (${this.place})`);
  }

  #go(from: Order['place'], to: Order['place'], what: string): true {
    if (this.place !== from) this.#wrong(what);
    this.place = to;
    return true;
  }

  /** What begins and ends answers and their steps. The first step begins with the first answer and goes on in the next. */
  #moves({ type }: AiSdkChunk): boolean {
    if (type === 'start') {
      this.#answers += 1;
      return this.#go('over', this.#answers === 1 ? 'begun' : 'in a step', type);
    }
    if (type === 'start-step')
      return this.#go(this.place === 'begun' ? 'begun' : 'between steps', 'in a step', type);
    if (type === 'finish-step') {
      if (this.#open.size > 0) this.#wrong('something is still said');
      return this.#go('in a step', 'between steps', type);
    }
    if (!last.has(type)) return false;
    this.told.push(`end ${type}`);
    return this.#go('between steps', 'at its end', type);
  }

  #content(chunk: AiSdkChunk): void {
    if (this.place !== 'in a step') this.#wrong(chunk.type);
    const { type } = chunk;
    if ('toolCallId' in chunk) return this.#call(chunk);
    if (type === 'text-start' || type === 'reasoning-start') return this.#begin(chunk.id);
    if (type === 'text-end' || type === 'reasoning-end') return this.#end(chunk.id);
    if (type === 'text-delta' || type === 'reasoning-delta') return this.#say(chunk);
    if (type !== 'reset-step') return this.#data(chunk);
    for (const [id, step] of this.#open) if (id.startsWith('text')) this.told.push(`${step} taken back`);
    this.#wanted = (next) => next.type === 'data-step';
    this.#open.clear();
  }

  #say({ id, type, delta }: Extract<AiSdkChunk, { readonly delta: string }>): void {
    const step = this.#open.get(id);
    if (step === undefined) return this.#wrong(`${id} is not open`);
    const verb = type === 'text-delta' ? 'says' : 'thinks';
    this.told.push(delta === supersededLine ? `${step} taken back` : `${step} ${verb} ${delta}`);
  }

  #call(chunk: Extract<AiSdkChunk, { readonly toolCallId: string }>): void {
    const { toolCallId: id, type } = chunk;
    if (type === 'tool-input-available') {
      if (this.#known.has(id)) this.#wrong(`${id} again`);
      this.#known.add(id);
      this.#calls.add(id);
      this.told.push(`call ${id}`);
      return;
    }
    if (!this.#calls.has(id)) this.#wrong(`${id} is not there`);
    if (type === 'tool-approval-request') return void this.told.push(`asked ${chunk.approvalId}`);
    this.#calls.delete(id);
    this.told.push(`result ${id} ${type.slice('tool-output-'.length)}`);
  }

  /** What ends, or is tried again, is silent. */
  #data(chunk: AiSdkChunk): void {
    this.told.push(factOf(chunk));
    if (chunk.type !== 'data-step' || !('id' in chunk)) return;
    const { status, detail } = chunk.data as { status: string; detail?: string };
    const goesOn = status === 'waiting' || (status === 'running' && detail === undefined);
    if (!goesOn && [...this.#open.values()].includes(chunk.id ?? '')) this.#wrong(`${chunk.id} still talks`);
  }

  #begin(id: string): void {
    if (this.#known.has(id)) this.#wrong(`${id} again`);
    this.#known.add(id);
    this.#open.set(id, id === 'answer' ? id : (/-(s\d+)-/.exec(id)?.[1] ?? ''));
    this.#wanted = (next) => next.type.endsWith('-delta') && 'id' in next && next.id === id;
  }

  /** Whoever falls silent ends, is tried again, goes on otherwise, or nobody says anything for now. */
  #end(id: string): void {
    const step = this.#open.get(id);
    if (!this.#open.delete(id)) this.#wrong(`${id} is not open`);
    const before = this.#wanted;
    const isOfStep = ({ type, ...chunk }: AiSdkChunk): boolean =>
      'id' in chunk &&
      (chunk.id === step || (type === 'text-start' && /-(s\d+)-/.exec(chunk.id ?? '')?.[1] === step));
    this.#wanted = (next) =>
      next.type.endsWith('-end') ||
      next.type === 'finish-step' ||
      isOfStep(next) ||
      before?.(next) === true ||
      ('id' in next && next.id === 'answer');
  }
}

/** What has no place of its own in the order: data, files and sources. */
function factOf(chunk: AiSdkChunk): string {
  if (chunk.type === 'file') return `file ${chunk.mediaType} ${placeOf(chunk.url).length}`;
  if (chunk.type === 'source-url' || chunk.type === 'source-document') return `item ${chunk.sourceId}`;
  const data = ('data' in chunk ? chunk.data : {}) as Record<string, string>;
  const { step, channel, delta, status, title, attempt = 1, code, phase, batch } = data;
  const id = 'id' in chunk ? chunk.id : undefined;
  if (chunk.type === 'data-step') return `${id} ${status} ${attempt} ${title}`;
  if (chunk.type === 'data-text') return `${step} ${channel} ${delta}`;
  if (chunk.type === 'data-notice') return `notice ${code} ${id}`;
  return chunk.type === 'data-phase' ? `phase ${phase} ${batch}` : `item ${id}`;
}

/** What a file is, or where. */
function placeOf(url: string): string {
  if (url.startsWith('/api/files/')) return url.slice('/api/files/'.length);
  if (!url.startsWith('data:')) return url;
  const data = url.slice(url.indexOf(',') + 1);
  return url.includes(';base64,') ? data : decodeURIComponent(data);
}
