import { expect, test } from 'vitest';
import { journal, opened, started } from '../../test/journal.ts';
import type { Entry, RunEvent } from '../run/events.ts';
import { ownProtocols } from './own-protocols.ts';

const question: RunEvent = {
  type: 'approval.requested',
  approval: 'run-1.a1',
  step: 1,
  title: 'Send it?',
  fingerprint: 'f1',
  priority: 'low',
  allowed: ['approve', 'reject', 'defer'],
};
const until = Date.UTC(2026, 10, 20);
const asked = [started(), opened(1, 0, { kind: 'ask' }), question];
const putOff: RunEvent = {
  type: 'approval.decided',
  approval: 'run-1.a1',
  decision: 'defer',
  by: 'ada',
  until,
};
const back: RunEvent = { type: 'approval.returned', approval: 'run-1.a1' };

type Name = keyof typeof ownProtocols;

/** What is told of each entry, as text, and whether an answer is over with it. */
function told(as: Name, entries: readonly Entry[]): { readonly text: string; readonly isOver: boolean }[] {
  const telling = ownProtocols[as].telling({ run: 'run-1' });
  return entries.map((entry) => {
    const text = telling
      .tell(entry)
      .map((frame) => JSON.stringify(frame))
      .join('\n');
    return { text, isOver: telling.isOver };
  });
}

const words: Readonly<Record<Exclude<Name, 'steps'>, string>> = {
  console: 'asked again',
  'console-dotted': 'asked again',
  execution: 'returned',
  'ag-ui': 'interrupts',
  'ai-sdk': 'ASKED_AGAIN',
  'a2ui-flat': 'approvals',
  'a2ui-0.8': 'approvals',
  'a2ui-0.9': 'approvals',
  'a2ui-1.0': 'approvals',
  'openai-chat': 'approve f1',
  'openai-responses': 'mcp_approval_request',
  dial: 'approve f1',
  'two-stage': 'approve f1',
};

test.for(Object.entries(words) as [Exclude<Name, 'steps'>, string][])(
  '[PR32] %s: a question that was put off and has come back is told again',
  ([as, word]) => {
    const all = told(as, journal(...asked, putOff, back));
    const last = all.at(-1);
    expect(last?.text).toContain(word);
    if (ownProtocols[as].ends === 'question')
      expect(all.map(({ isOver }) => isOver)).toEqual([false, false, true, true, true]);
    if (as.startsWith('a2ui')) {
      expect(all[3]?.text).toContain('Put off by ada until 2026-11-20T00:00:00.000Z.');
      expect(last?.text).not.toContain('Put off');
    }
  },
);
