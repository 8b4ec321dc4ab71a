import type { Decision, Entry } from '../src/run/events.ts';
import type { BlobRef } from '../src/run/values.ts';
import { Notebook, silence } from './notebook.ts';
import type { Gate, Stage, Work } from './work.ts';

/** What comes from outside, at some moment of a run. */
export const interruptions = ['takeover', 'pause', 'message', 'notice', 'unknown', 'stop'] as const;
export type Interruption = (typeof interruptions)[number];

/** A point at which others may go on. */
type Playing = Generator<void, void>;

/** Writes a journal as an engine would, for a flow that is only data. */
export class Scribe {
  readonly #book: Notebook;
  #epoch = 1;
  /** Ticks until somebody resumes the run. */
  #paused = 0;
  #message: string | undefined;

  /** `isTerse`: what is left open below a step is closed without a word, by the end of the step. */
  constructor(picks: readonly number[], isTerse: boolean) {
    this.#book = new Notebook(picks, isTerse);
  }

  get entries(): Entry[] {
    return this.#book.entries;
  }

  begin(text: string, earlier?: string[]): void {
    const flow = { name: 'made-up', version: '1' };
    const place = { tenant: 't', who: 'ada', app: 'app', conversation: 'c', ...(earlier ? { earlier } : {}) };
    this.#book.emit({
      type: 'run.started',
      ...place,
      input: { text },
      flow,
      limits: { turns: 99 },
      labels: {},
    });
    this.#book.emit({ type: 'worker.took', worker: 'w1', epoch: 1, reason: 'started' });
  }

  /** True when the run is to end now. */
  interrupt(what: Interruption): boolean {
    const by = { by: 'ada', command: this.#book.name('command') };
    switch (what) {
      case 'takeover':
        this.#epoch += 1;
        this.#book.emit({
          type: 'worker.took',
          worker: `w${this.#epoch}`,
          epoch: this.#epoch,
          reason: 'recovered',
        });
        return false;
      case 'pause':
        if (this.#paused === 0) this.#book.emit({ type: 'run.paused', ...by });
        this.#paused = 3;
        return false;
      case 'message':
        this.#message = this.#book.name('message');
        this.#book.emit({ type: 'message.queued', message: this.#message, text: 'and then?', ...by });
        return false;
      case 'notice':
        this.#book.emit({
          type: 'notice.posted',
          step: 0,
          code: 'NOT_PAUSED',
          message: 'The run is not paused.',
        });
        return false;
      case 'unknown':
        this.#book.emit({ type: 'unknown', kind: 'step.dreamt', original: { type: 'step.dreamt' } });
        return false;
      case 'stop':
        this.#book.emit({ type: 'stop.requested', ...by });
        return true;
    }
  }

  end(outcome: 'completed' | 'failed' | 'stopped', answer: string | BlobRef): void {
    this.#book.closeBelow(0, outcome === 'stopped' ? 'stopped' : 'abandoned');
    const usage = { input: 3, output: 2 };
    if (outcome === 'failed') this.#book.emit({ type: 'run.ended', outcome, failure: silence, usage });
    else this.#book.emit({ type: 'run.ended', outcome, answer, usage });
  }

  *children(parent: number, { children, atOnce, plans = [] }: Children): Playing {
    const playing = children.map((each, i) => this.#work(parent, each, plans[i]));
    if (!atOnce) for (const each of playing) yield* each;
    const live = atOnce ? playing : [];
    while (live.length > 0) {
      const at = this.#book.pick() % live.length;
      if (live[at]?.next().done) live.splice(at, 1);
      else yield;
    }
  }

  *#work(parent: number, work: Work, planned?: number): Playing {
    // A pause is a gate before opening; whoever comes first after a while finds it resumed.
    while (this.#paused > 0) {
      this.#paused -= 1;
      if (this.#paused === 0) this.#book.emit({ type: 'run.resumed', by: 'ada' });
      yield;
    }
    if (work.type === 'step') return yield* this.#step(parent, work, planned);
    if (work.type === 'turn') return yield* this.#turn(parent, work, planned);
    if (work.type === 'call') return yield* this.#call(parent, work, planned);
    const step = this.#book.open(parent, { kind: 'ask', planned });
    yield* this.#ask(step, work.gate);
    this.#book.close(step, work.gate === 'expire' ? 'failed' : 'completed');
  }

  *#step(parent: number, work: Extract<Work, { type: 'step' }>, planned?: number): Playing {
    const agent =
      work.kind === 'agent' ? { agent: 'general', query: 'What is it?', reasoning: 'Why not?' } : {};
    const step = this.#book.open(parent, { kind: work.kind, planned, ...agent });
    const plans = work.planned ? work.children.map((child) => this.#book.plan(step, child.type)) : [];
    this.#book.emit({ type: 'phase.entered', step, phase: 'tool_phase', batch: 1, cycle: 1 });
    for (const text of work.says) this.#book.emit({ type: 'text.appended', step, channel: 'content', text });
    if (this.#message) this.#book.emit({ type: 'message.taken', message: this.#message, step, poll: 0 });
    this.#message = undefined;
    yield;
    // A step that fails leaves the last thing it planned undone.
    const children = work.fails && work.planned ? work.children.slice(0, -1) : work.children;
    yield* this.children(step, { children, atOnce: work.atOnce, plans });
    this.#book.close(step, work.fails ? 'failed' : 'completed');
  }

  *#turn(parent: number, work: Extract<Work, { type: 'turn' }>, planned?: number): Playing {
    const { effect } = work;
    const step = this.#book.open(parent, { kind: 'turn', planned, started: true, agent: 'general', effect });
    this.#book.emit({ type: 'prompt.recorded', step, blob: { blob: `prompt ${step}`, size: 12 } });
    yield* this.#attempts(step, function* (this: Scribe) {
      for (const text of work.reasons)
        this.#book.emit({ type: 'text.appended', step, channel: 'reasoning', text });
      yield;
      for (const text of work.says) {
        this.#book.emit({ type: 'text.appended', step, channel: 'content', text });
        yield;
      }
      for (const item of work.items) this.#book.emit({ type: 'item.attached', step, item });
      if (work.items.length > 1)
        this.#book.emit({ type: 'notice.posted', step, code: 'UPSTREAM_MALFORMED', message: 'What?' });
      for (const stage of work.stages) yield* this.#stage(step, stage);
      for (const [i, pieces] of work.asks.entries()) {
        for (const text of ['', ...pieces]) {
          const call = { call: `call-${i}`, ...(text === '' ? { tool: 'search' } : {}) };
          this.#book.emit({ type: 'text.appended', step, channel: 'arguments', text, ...call });
        }
        yield;
      }
    });
    this.#book.emit({ type: 'state.saved', step, agent: 'general', strategy: 'replace', state: { step } });
    this.#book.close(step, work.outcome);
  }

  *#stage(parent: number, work: Stage): Playing {
    const title = work.titles.length > 0 ? '' : 'stage';
    const step = this.#book.open(parent, { kind: 'stage', title, origin: this.#book.name('origin') });
    for (const text of work.titles) this.#book.emit({ type: 'title.appended', step, text });
    yield;
    for (const text of work.says) this.#book.emit({ type: 'text.appended', step, channel: 'content', text });
    for (const stage of work.stages) yield* this.#stage(step, stage);
    for (const item of work.items) this.#book.emit({ type: 'item.attached', step, item });
    yield;
    if (work.closes) this.#book.close(step, 'completed');
  }

  *#call(parent: number, work: Extract<Work, { type: 'call' }>, planned?: number): Playing {
    const ready = work.gate === 'none' && work.outcome !== 'reused' && work.outcome !== 'skipped';
    const { effect, arguments: input } = work;
    const call = { tool: 'search', arguments: input, effect };
    const step = this.#book.open(parent, { kind: 'call', planned, started: ready, effect, call });
    if (work.outcome === 'reused') return this.#book.close(step, 'reused', { reusedFrom: step });
    if (work.outcome === 'skipped') return this.#book.close(step, 'skipped');
    if (work.gate !== 'none') {
      yield* this.#ask(step, work.gate);
      if (work.gate === 'reject' || work.gate === 'expire') return this.#book.close(step, 'skipped');
      this.#book.emit({ type: 'step.started', step });
    }
    yield* this.#attempts(step, function* (this: Scribe) {
      for (const text of work.logs) {
        this.#book.emit({ type: 'text.appended', step, channel: 'log', text });
        yield;
      }
    });
    this.#book.close(step, work.outcome, work.outcome === 'completed' ? { result: { ok: true } } : {});
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
      this.#book.closeBelow(step, 'abandoned');
      this.#book.emit({ type: 'step.retried', step, attempt: tries, reason: 'The worker died.' });
      playing = attempt.call(this);
    }
  }

  *#ask(step: number, gate: Exclude<Gate, 'none'>): Playing {
    const approval = this.#book.name('approval');
    const question = { title: 'Shall I?', fingerprint: `f-${approval}`, priority: 'medium' } as const;
    this.#book.emit({
      type: 'approval.requested',
      approval,
      step,
      ...question,
      allowed: ['approve', 'reject', 'edit'],
    });
    yield;
    if (gate === 'lapse') {
      const { fingerprint } = question;
      this.#book.emit({ type: 'approval.lapsed', approval, fingerprint, reason: 'The agent has gone on.' });
      return yield* this.#ask(step, 'approve');
    }
    const decisions: Decision[] = gate === 'defer' ? ['defer', 'approve'] : [gate];
    for (const decision of decisions) {
      this.#book.emit({ type: 'worker.took', worker: 'w1', epoch: this.#epoch, reason: 'woken' });
      this.#book.emit({
        type: 'approval.decided',
        approval,
        decision,
        by: gate === 'expire' ? 'clock' : 'ada',
      });
      if (decision === 'defer') this.#book.emit({ type: 'approval.returned', approval });
      yield;
    }
  }
}

interface Children {
  readonly children: readonly Work[];
  readonly atOnce: boolean;
  readonly plans?: readonly number[];
}
