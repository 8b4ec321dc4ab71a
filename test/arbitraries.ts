import fc, { type Arbitrary } from 'fast-check';
import { Channel, Decision, Outcome, Phase, type Entry, type RunEvent } from '../src/run/events.ts';
import { FailureCode, type Failure } from '../src/run/failure-schema.ts';
import type { Attachment, BlobRef, Item, Json, Usage } from '../src/run/values.ts';

/** Text with everything that has ever broken a stream: line ends of all kinds, NUL, half characters, astral ones. */
export const anyText: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '\r\n',
      '\n\nid: 3\n',
      '\u2028\u2029',
      '\0',
      '\ud800',
      '\udc00x',
      '😀',
      'ﬁ',
    ),
  },
);

export const anyJson: Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2, stringUnit: 'binary' })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

const few = fc.nat({ max: 12 });
const count = fc.nat({ max: 5_000 });
const name = fc.constantFrom('a', 'b', 'c', '__proto__');
const by = fc.constantFrom('ada', 'clock');

export const anyBlob: Arbitrary<BlobRef> = optional({ blob: name, size: count }, { preview: anyText });
const value = fc.oneof(anyJson, anyBlob);
const usage: Arbitrary<Usage> = optional(
  { input: count, output: count },
  { cached: count, reasoning: count, estimated: fc.boolean() },
);
const failure: Arbitrary<Failure> = optional(
  { code: fc.constantFrom(...FailureCode.options), message: anyText },
  { retryable: fc.boolean() },
);
const attachment: Arbitrary<Attachment> = optional(
  { type: name },
  { title: anyText, data: anyText, blob: anyBlob },
);
export const anyItem: Arbitrary<Item> = fc.oneof(
  fc.record({ kind: fc.constant('attachment' as const), attachment }),
  fc.record({
    kind: fc.constant('visualization' as const),
    shape: fc.constantFrom('graph', 'table', 'documents', 'chart'),
    data: anyJson,
  }),
  fc.record({ kind: fc.constant('citation' as const), title: anyText }),
  fc.record({ kind: fc.constant('action' as const), name, data: anyJson }),
);
const effect = fc.constantFrom('pure', 'idempotent', 'once');
const call = fc.record({ id: name, tool: name, arguments: value, signature: name, effect });
const placed = {
  step: few,
  parent: few,
  key: name,
  kind: fc.constantFrom('step', 'turn', 'call', 'ask'),
  title: anyText,
};

/** One arbitrary for each kind, so that a new kind does not compile until it is generated. */
const kinds: { [Type in RunEvent['type']]: Arbitrary<Extract<RunEvent, { type: Type }>> } = {
  'run.started': event('run.started', {
    tenant: name,
    who: by,
    app: name,
    conversation: name,
    input: optional(
      { text: fc.oneof(anyText, anyBlob) },
      { attachments: fc.array(attachment, { maxLength: 2 }) },
    ),
    flow: fc.record({ name, version: name }),
    limits: optional({}, { turns: fc.integer({ min: 1, max: 9 }) }),
    labels: fc.dictionary(name, anyText),
  }),
  'run.paused': event('run.paused', { by }, { reason: anyText, command: name }),
  'run.resumed': event('run.resumed', { by }, { reason: anyText, command: name }),
  'run.ended': event(
    'run.ended',
    { outcome: fc.constantFrom('completed', 'failed', 'stopped'), usage },
    { answer: fc.oneof(anyText, anyBlob), failure },
  ),
  'worker.took': event('worker.took', {
    worker: name,
    epoch: few,
    reason: fc.constantFrom('started', 'woken', 'recovered'),
  }),
  'stop.requested': event('stop.requested', { by }, { reason: anyText, command: name }),
  'phase.entered': event('phase.entered', {
    step: few,
    phase: fc.constantFrom(...Phase.options),
    batch: few,
    cycle: few,
  }),
  'step.planned': event('step.planned', placed),
  'step.opened': event('step.opened', placed, {
    attempt: fc.integer({ min: 1, max: 3 }),
    started: fc.boolean(),
    effect,
    agent: name,
    model: name,
    icon: name,
    query: anyText,
    reasoning: anyText,
    call,
    origin: name,
    until: count,
    within: count,
  }),
  'step.started': event('step.started', { step: few }, { call }),
  'title.appended': event('title.appended', { step: few, text: anyText }),
  'text.appended': event(
    'text.appended',
    { step: few, channel: fc.constantFrom(...Channel.options), text: anyText },
    { call: name, tool: name },
  ),
  'item.attached': event('item.attached', { step: few, item: anyItem }),
  'step.closed': event(
    'step.closed',
    { step: few, outcome: fc.constantFrom(...Outcome.options) },
    { result: value, failure, usage, reusedFrom: few },
  ),
  'step.retried': event(
    'step.retried',
    { step: few, attempt: fc.integer({ min: 1, max: 5 }), reason: anyText },
    { call, model: name },
  ),
  'notice.posted': event('notice.posted', { step: few, code: name, message: anyText }),
  'approval.requested': event(
    'approval.requested',
    {
      approval: name,
      step: few,
      title: anyText,
      fingerprint: name,
      priority: fc.constantFrom('low', 'medium', 'high', 'critical'),
      allowed: fc.subarray(Decision.options),
    },
    {
      arguments: value,
      schema: anyJson,
      editSchema: anyJson,
      message: anyText,
      expiresAt: count,
      exchange: fc.record({ asked: anyText, answered: anyText }),
      position: name,
      insteadOf: name,
    },
  ),
  'approval.lapsed': event(
    'approval.lapsed',
    { approval: name, fingerprint: name, reason: anyText },
    { command: name },
  ),
  'approval.returned': event('approval.returned', { approval: name }),
  'approval.decided': event(
    'approval.decided',
    { approval: name, decision: fc.constantFrom(...Decision.options), by },
    {
      command: name,
      rationale: anyText,
      arguments: value,
      answer: anyJson,
      fingerprint: name,
      shown: name,
      until: count,
    },
  ),
  'prompt.recorded': event('prompt.recorded', { step: few, blob: anyBlob }, { continues: few }),
  'state.saved': event('state.saved', { step: few, agent: name, strategy: name, state: value }),
  'message.queued': event(
    'message.queued',
    { message: name, text: anyText, by },
    { attachments: fc.array(attachment, { maxLength: 2 }), command: name },
  ),
  'message.taken': event('message.taken', { message: name, step: few }, { poll: few }),
  unknown: fc
    .record({ type: fc.constantFrom('step.dreamt', 'unknown', ''), more: anyJson })
    .map((original) => ({ type: 'unknown', kind: original.type, original })),
};

/** Any event of any kind, about few steps, so that duplicate, late and contradicting ones are common. */
export const anyEvent: Arbitrary<RunEvent> = fc.oneof(...Object.values(kinds));

export const everyKind = Object.keys(kinds);

/** Any events in any order, well numbered. Clocks jump. */
export const anyEntries: Arbitrary<Entry[]> = fc
  .array(fc.tuple(anyEvent, fc.nat({ max: 1_000_000 })), { maxLength: 60, size: 'max' })
  .map((events) =>
    events.map(([happened, at], i) =>
      // Now and then the machine had slept.
      at % 8 === 7 ? { seq: i + 1, at, jump: at >> 1, event: happened } : { seq: i + 1, at, event: happened },
    ),
  );

/** A record some of whose fields may be absent. */
function optional<T, U = {}>(
  required: { [K in keyof T]: Arbitrary<T[K]> },
  others: { [K in keyof U]: Arbitrary<U[K]> },
): Arbitrary<T & Partial<U>> {
  const both = fc.tuple(fc.record(required), fc.record(others, { requiredKeys: [] }));
  return both.map(([some, more]) => ({ ...some, ...more }) as T & Partial<U>);
}

function event<Type extends RunEvent['type'], T, U = {}>(
  type: Type,
  required: { [K in keyof T]: Arbitrary<T[K]> },
  others: { [K in keyof U]: Arbitrary<U[K]> } = {} as { [K in keyof U]: Arbitrary<U[K]> },
): Arbitrary<{ type: Type } & T & Partial<U>> {
  return optional(required, others).map((fields) => ({ type, ...fields }));
}
