import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry, RunEvent } from '../run/events.ts';
import { foldAll } from '../run/entries.ts';
import type { RunTree } from '../run/tree.ts';
import { untrustedIn } from '../run/untrusted.ts';
import type { Intent, Verdict } from './policy.ts';
import { taint } from './standard.ts';

const started: RunEvent = {
  type: 'run.started',
  tenant: 't',
  who: 'ada',
  app: 'a',
  conversation: 'c',
  input: { text: 'hello' },
  flow: { name: 'f', version: '1' },
  limits: {},
  labels: {},
};

function treeOf(...events: readonly RunEvent[]): RunTree {
  return foldAll(events.map((event, i): Entry => ({ seq: i + 1, at: i, event })));
}

const opened = (step: number, more: object = {}): RunEvent => ({
  type: 'step.opened',
  step,
  parent: 0,
  key: `k${step}`,
  kind: 'call',
  title: 'read_file',
  started: true,
  untrusted: 'content',
  ...more,
});
const closed = (
  step: number,
  outcome: 'completed' | 'failed' | 'skipped' | 'reused' = 'completed',
): RunEvent => ({
  type: 'step.closed',
  step,
  outcome,
  result: 'words',
});
const call = { id: 'c', tool: 'http_get', arguments: {}, signature: 's', effect: 'pure' as const };
const sending: Intent = { kind: 'call', parent: 0, call, sends: true };
const judge = (tree: RunTree, intent: Intent = sending): Verdict => taint({ tree, now: 0 }, intent);

describe('[T80] [S37] what others wrote', () => {
  test.for<{ name: string; events: readonly RunEvent[] }>([
    { name: 'the result of a call', events: [opened(1), closed(1)] },
    { name: 'why a call failed', events: [opened(1), closed(1, 'failed')] },
    { name: 'an outcome that is used again', events: [opened(1, { started: false }), closed(1, 'reused')] },
    { name: 'the answer of an agent', events: [opened(1, { kind: 'turn', agent: 'helper' }), closed(1)] },
    { name: 'tools nobody approved', events: [opened(1, { kind: 'turn', untrusted: 'tools' }), closed(1)] },
    {
      name: 'the attachment of a message',
      events: [
        {
          type: 'message.queued',
          message: 'm',
          text: 'see',
          by: 'ada',
          attachments: [{ type: 'text/plain', data: 'x' }],
        },
        { type: 'message.taken', message: 'm', step: 0 },
      ],
    },
  ])('does not leave without a person: $name', ({ events }) => {
    const verdict = judge(treeOf(started, ...events));
    expect(verdict).toMatchObject({
      verdict: 'ask',
      reason: expect.stringContaining('«http_get» can carry'),
    });
    expect(judge(treeOf(started, ...events), { ...sending, sends: false })).toEqual({ verdict: 'allow' });
  });

  test('hangs on the first message, too', () => {
    const attachments = [{ type: 'text/plain', title: 'offer.txt', data: 'x' }];
    const tree = treeOf({ ...started, input: { text: 'see', attachments } } as RunEvent);
    expect(judge(tree)).toMatchObject({ verdict: 'ask', reason: expect.stringContaining('«offer.txt»') });
  });

  test('is named by the step that brought it, the newest first of all', () => {
    const events = [1, 2, 3, 4, 5].flatMap((step) => [opened(step), closed(step)]);
    const { reason } = judge(treeOf(started, ...events)) as Extract<Verdict, { verdict: 'ask' }>;
    for (const step of [3, 4, 5]) expect(reason).toContain(`(step ${step})`);
    expect(reason).toContain('and 2 more');
  });

  test('may have come into another run of the conversation', () => {
    const inherited = [{ step: 4, by: 'tool' as const, what: 'what «http_get» gave (step 4)', run: 'run_7' }];
    const verdict = taint({ tree: treeOf(started), now: 0, inherited }, sending);
    expect(verdict).toMatchObject({ verdict: 'ask', reason: expect.stringContaining('in run_7') });
  });
});

describe('[T81] nobody is asked', () => {
  test.for<{ name: string; events: readonly RunEvent[] }>([
    { name: 'where nothing was read', events: [] },
    { name: 'about what we wrote ourselves', events: [opened(1, { untrusted: undefined }), closed(1)] },
    { name: 'about what is still under way', events: [opened(1)] },
    { name: 'about what never ran', events: [opened(1, { started: false }), closed(1, 'skipped')] },
    {
      name: 'about a message nobody has taken',
      events: [
        { type: 'message.queued', message: 'm', text: '', by: 'a', attachments: [{ type: 'text/plain' }] },
      ],
    },
  ])('$name', ({ events }) => expect(judge(treeOf(started, ...events))).toEqual({ verdict: 'allow' }));

  test('to tell agents what agents said or a person sent, but what a tool brought is asked about', () => {
    const turn: Intent = { kind: 'turn', parent: 0, sends: true };
    const said = [opened(1, { kind: 'turn', agent: 'helper', title: 'Helper' }), closed(1)];
    const attachments = [{ type: 'text/plain', data: 'x' }];
    const begun = { ...started, input: { text: 'see', attachments } } as RunEvent;
    expect(judge(treeOf(begun, ...said), turn)).toEqual({ verdict: 'allow' });
    expect(judge(treeOf(begun, ...said))).toMatchObject({ verdict: 'ask' });
    expect(judge(treeOf(begun, ...said, opened(2), closed(2)), turn)).toMatchObject({
      verdict: 'ask',
      reason: expect.stringMatching(/^This message leaves.*before: what «read_file» gave \(step 2\)\./),
    });
  });
});

const step = fc.record({
  untrusted: fc.constantFrom('content' as const, 'tools' as const, undefined),
  started: fc.boolean(),
  isClosed: fc.boolean(),
});

test('[T82] the verdict is that of the journal: the same after any replay, and never less strict later', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const events = steps.flatMap(({ isClosed, ...more }, i) => [
        opened(i + 1, more),
        ...(isClosed ? [closed(i + 1)] : []),
      ]);
      const whole = treeOf(started, ...events);
      expect(judge(treeOf(started, ...events))).toEqual(judge(whole));
      expect(judge(whole).verdict).toBe(untrustedIn(whole).length > 0 ? 'ask' : 'allow');
      const dirty = steps.some(({ untrusted, started: began, isClosed }) => untrusted && began && isClosed);
      expect(judge(whole).verdict).toBe(dirty ? 'ask' : 'allow');
      let wasAsked = false;
      for (let cut = 0; cut <= events.length; cut += 1) {
        const isAsked = judge(treeOf(started, ...events.slice(0, cut))).verdict === 'ask';
        expect(isAsked || !wasAsked).toBe(true);
        wasAsked = isAsked;
      }
    }),
  );
});
