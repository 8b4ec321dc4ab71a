import type { Call, Decision, Entry, Outcome, RunEvent } from '../src/run/events.ts';
import type { BlobRef, Effect } from '../src/run/values.ts';
import type { Gate, Stage, Work } from './work.ts';

/** What comes from outside, at some moment of a run. */
export const interruptions = ['takeover', 'pause', 'message', 'notice', 'unknown', 'stop'] as const;
export type Interruption = (typeof interruptions)[number];

const silence = { code: 'unavailable', message: 'The model does not answer.' } as const;

/** A point at which others may go on. */
type Playing = Generator<void, void>;

/** Writes a journal as an engine would, for a flow that is only data. */
export class Scribe {
  readonly entries: Entry[] = [];
  readonly #picks: readonly number[];
  readonly #open: { id: number; parent: number }[] = [];
  #picked = 0;
  #steps = 0;
  #epoch = 1;
  #names = 0;
  /** Ticks until somebody resumes the run. */
  #paused = 0;
  #message: string | undefined;

  /** Whether what is left open below a step is closed without a word, by the end of the step. */
  readonly #isTerse: boolean;

  constructor(picks: readonly number[], isTerse: boolean) {
    this.#picks = picks;
    this.#isTerse = isTerse;
  }

  begin(text: string, earlier?: string[]): void {
    const flow = { name: 'made-up', version: '1' };
    const place = { tenant: 't', who: 'ada', app: 'app', conversation: 'c', ...(earlier ? { earlier } : {}) };
    this.#emit({ type: 'run.started', ...place, input: { text }, flow, limits: { turns: 99 }, labels: {} });
    this.#emit({ type: 'worker.took', worker: 'w1', epoch: 1, reason: 'started' });
  }

  /** True when the run is to end now. */
  interrupt(what: Interruption): boolean {
    const by = { by: 'ada', command: this.#name('command') };
    switch (what) {
      case 'takeover':
        this.#epoch += 1;
        this.#emit({
          type: 'worker.took',
          worker: `w${this.#epoch}`,
          epoch: this.#epoch,
          reason: 'recovered',
        });
        return false;
      case 'pause':
        if (this.#paused === 0) this.#emit({ type: 'run.paused', ...by });
        this.#paused = 3;
        return false;
      case 'message':
        this.#message = this.#name('message');
        this.#emit({ type: 'message.queued', message: this.#message, text: 'and then?', ...by });
        return false;
      case 'notice':
        this.#emit({ type: 'notice.posted', step: 0, code: 'NOT_PAUSED', message: 'The run is not paused.' });
        return false;
      case 'unknown':
        this.#emit({ type: 'unknown', kind: 'step.dreamt', original: { type: 'step.dreamt' } });
        return false;
      case 'stop':
        this.#emit({ type: 'stop.requested', ...by });
        return true;
    }
  }

  end(outcome: 'completed' | 'failed' | 'stopped', answer: string | BlobRef): void {
    this.#closeBelow(0, outcome === 'stopped' ? 'stopped' : 'abandoned');
    const usage = { input: 3, output: 2 };
    if (outcome === 'failed') this.#emit({ type: 'run.ended', outcome, failure: silence, usage });
    else this.#emit({ type: 'run.ended', outcome, answer, usage });
  }

  *children(parent: number, { children, atOnce, plans = [] }: Children): Playing {
    const playing = children.map((each, i) => this.#work(parent, each, plans[i]));
    if (!atOnce) for (const each of playing) yield* each;
    const live = atOnce ? playing : [];
    while (live.length > 0) {
      const at = this.#pick() % live.length;
      if (live[at]?.next().done) live.splice(at, 1);
      else yield;
    }
  }

  *#work(parent: number, work: Work, planned?: number): Playing {
    // A pause is a gate before opening; whoever comes first after a while finds it resumed.
    while (this.#paused > 0) {
      this.#paused -= 1;
      if (this.#paused === 0) this.#emit({ type: 'run.resumed', by: 'ada' });
      yield;
    }
    if (work.type === 'step') return yield* this.#step(parent, work, planned);
    if (work.type === 'turn') return yield* this.#turn(parent, work, planned);
    if (work.type === 'call') return yield* this.#call(parent, work, planned);
    const step = this.#opened(parent, { kind: 'ask', planned });
    yield* this.#ask(step, work.gate);
    this.#close(step, work.gate === 'expire' ? 'failed' : 'completed');
  }

  *#step(parent: number, work: Extract<Work, { type: 'step' }>, planned?: number): Playing {
    const agent =
      work.kind === 'agent' ? { agent: 'general', query: 'What is it?', reasoning: 'Why not?' } : {};
    const step = this.#opened(parent, { kind: work.kind, planned, ...agent });
    const plans = work.planned ? work.children.map((child) => this.#plan(step, child.type)) : [];
    this.#emit({ type: 'phase.entered', step, phase: 'tool_phase', batch: 1, cycle: 1 });
    for (const text of work.says) this.#emit({ type: 'text.appended', step, channel: 'content', text });
    if (this.#message) this.#emit({ type: 'message.taken', message: this.#message, step, poll: 0 });
    this.#message = undefined;
    yield;
    // A step that fails leaves the last thing it planned undone.
    const children = work.fails && work.planned ? work.children.slice(0, -1) : work.children;
    yield* this.children(step, { children, atOnce: work.atOnce, plans });
    this.#close(step, work.fails ? 'failed' : 'completed');
  }

  *#turn(parent: number, work: Extract<Work, { type: 'turn' }>, planned?: number): Playing {
    const { effect } = work;
    const step = this.#opened(parent, { kind: 'turn', planned, started: true, agent: 'general', effect });
    this.#emit({ type: 'prompt.recorded', step, blob: { blob: `prompt ${step}`, size: 12 } });
    yield* this.#attempts(step, function* (this: Scribe) {
      for (const text of work.reasons)
        this.#emit({ type: 'text.appended', step, channel: 'reasoning', text });
      yield;
      for (const text of work.says) {
        this.#emit({ type: 'text.appended', step, channel: 'content', text });
        yield;
      }
      for (const item of work.items) this.#emit({ type: 'item.attached', step, item });
      if (work.items.length > 1)
        this.#emit({ type: 'notice.posted', step, code: 'UPSTREAM_MALFORMED', message: 'What?' });
      for (const stage of work.stages) yield* this.#stage(step, stage);
      for (const [i, pieces] of work.asks.entries()) {
        for (const text of ['', ...pieces]) {
          const call = { call: `call-${i}`, ...(text === '' ? { tool: 'search' } : {}) };
          this.#emit({ type: 'text.appended', step, channel: 'arguments', text, ...call });
        }
        yield;
      }
    });
    this.#emit({ type: 'state.saved', step, agent: 'general', strategy: 'replace', state: { step } });
    this.#close(step, work.outcome);
  }

  *#stage(parent: number, work: Stage): Playing {
    const title = work.titles.length > 0 ? '' : 'stage';
    const step = this.#opened(parent, { kind: 'stage', title, origin: this.#name('origin') });
    for (const text of work.titles) this.#emit({ type: 'title.appended', step, text });
    yield;
    for (const text of work.says) this.#emit({ type: 'text.appended', step, channel: 'content', text });
    for (const stage of work.stages) yield* this.#stage(step, stage);
    for (const item of work.items) this.#emit({ type: 'item.attached', step, item });
    yield;
    if (work.closes) this.#close(step, 'completed');
  }

  *#call(parent: number, work: Extract<Work, { type: 'call' }>, planned?: number): Playing {
    const ready = work.gate === 'none' && work.outcome !== 'reused' && work.outcome !== 'skipped';
    const { effect, arguments: input } = work;
    const call = { tool: 'search', arguments: input, effect };
    const step = this.#opened(parent, { kind: 'call', planned, started: ready, effect, call });
    if (work.outcome === 'reused') return this.#close(step, 'reused', { reusedFrom: step });
    if (work.outcome === 'skipped') return this.#close(step, 'skipped');
    if (work.gate !== 'none') {
      yield* this.#ask(step, work.gate);
      if (work.gate === 'reject' || work.gate === 'expire') return this.#close(step, 'skipped');
      this.#emit({ type: 'step.started', step });
    }
    yield* this.#attempts(step, function* (this: Scribe) {
      for (const text of work.logs) {
        this.#emit({ type: 'text.appended', step, channel: 'log', text });
        yield;
      }
    });
    this.#close(step, work.outcome, work.outcome === 'completed' ? { result: { ok: true } } : {});
  }

  /** A leaf that was under way when its worker died is tried again, and what the attempt had opened is closed. */
  *#attempts(step: number, attempt: (this: Scribe) => Playing): Playing {
    let epoch = this.#epoch;
    let playing = attempt.call(this);
    for (let tries = 1; !playing.next().done;) {
      yield;
      if (epoch === this.#epoch) continue;
      epoch = this.#epoch;
      tries += 1;
      this.#closeBelow(step, 'abandoned');
      this.#emit({ type: 'step.retried', step, attempt: tries, reason: 'The worker died.' });
      playing = attempt.call(this);
    }
  }

  *#ask(step: number, gate: Exclude<Gate, 'none'>): Playing {
    const approval = this.#name('approval');
    const question = { title: 'Shall I?', fingerprint: `f-${approval}`, priority: 'medium' } as const;
    this.#emit({
      type: 'approval.requested',
      approval,
      step,
      ...question,
      allowed: ['approve', 'reject', 'edit'],
    });
    yield;
    if (gate === 'lapse') {
      const { fingerprint } = question;
      this.#emit({ type: 'approval.lapsed', approval, fingerprint, reason: 'The agent has gone on.' });
      return yield* this.#ask(step, 'approve');
    }
    const decisions: Decision[] = gate === 'defer' ? ['defer', 'approve'] : [gate];
    for (const decision of decisions) {
      this.#emit({ type: 'worker.took', worker: 'w1', epoch: this.#epoch, reason: 'woken' });
      this.#emit({ type: 'approval.decided', approval, decision, by: gate === 'expire' ? 'clock' : 'ada' });
      yield;
    }
  }

  #plan(parent: number, kind: string): number {
    this.#steps += 1;
    this.#emit({
      type: 'step.planned',
      step: this.#steps,
      parent,
      key: `k${this.#steps}`,
      kind,
      title: kind,
    });
    return this.#steps;
  }

  #opened(parent: number, how: Opening): number {
    const { kind, planned, call, ...details } = how;
    const step = planned ?? (this.#steps += 1);
    this.#emit({
      type: 'step.opened',
      step,
      parent,
      key: `k${step}`,
      kind,
      title: kind,
      ...details,
      ...(call ? { call: { id: `c${step}`, signature: `s${step}`, ...call } } : {}),
    });
    this.#open.push({ id: step, parent });
    return step;
  }

  #close(step: number, outcome: Outcome, more: { result?: { ok: boolean }; reusedFrom?: number } = {}): void {
    this.#forget(step);
    const usage = outcome === 'completed' ? { usage: { input: 2, output: 1 } } : {};
    const failure = outcome === 'failed' ? { failure: silence } : {};
    this.#emit({ type: 'step.closed', step, outcome, ...usage, ...failure, ...more });
  }

  #closeBelow(step: number, outcome: Outcome): void {
    for (const { id } of this.#open.filter(({ parent }) => parent === step).reverse()) {
      if (!this.#isTerse) this.#close(id, outcome);
      else this.#forget(id);
    }
  }

  #forget(step: number): void {
    this.#closeBelow(step, 'abandoned');
    this.#open.splice(
      this.#open.findIndex(({ id }) => id === step),
      1,
    );
  }

  #pick(): number {
    this.#picked += 1;
    return this.#picks[this.#picked % Math.max(1, this.#picks.length)] ?? 0;
  }

  #name(what: string): string {
    this.#names += 1;
    return `${what}-${this.#names}`;
  }

  #emit(event: RunEvent): void {
    const at = 1_000 + this.entries.length * 7 + this.#pick();
    this.entries.push({
      seq: this.entries.length + 1,
      at: Math.max(at, this.entries.at(-1)?.at ?? 0),
      event,
    });
  }
}

interface Children {
  readonly children: readonly Work[];
  readonly atOnce: boolean;
  readonly plans?: readonly number[];
}

interface Opening {
  readonly kind: string;
  readonly title?: string;
  readonly planned?: number | undefined;
  readonly started?: boolean;
  readonly origin?: string;
  readonly effect?: Effect;
  readonly agent?: string;
  readonly query?: string;
  readonly reasoning?: string;
  readonly call?: Pick<Call, 'tool' | 'arguments' | 'effect'>;
}
