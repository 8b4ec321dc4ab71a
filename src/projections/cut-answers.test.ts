import { describe, expect, test } from 'vitest';
import { closed, ended, journal, opened, said, started } from '../../test/journal.ts';
import type { Entry } from '../run/events.ts';
import { lineBelow, type Unfinished } from '../run/unfinished.ts';
import { sseTexts } from '../wire/sse-frame.ts';
import { ownProtocols } from './own-protocols.ts';

type As = keyof typeof ownProtocols;

const words = 'and then «again», 😀 and '.repeat(6_000);

interface Run {
  readonly text: string;
  readonly finish: Unfinished | 'stop';
  /** Whether the answer is kept beside the journal. */
  readonly isBeside?: boolean;
}

/** A run whose answer is what its last turn said, with the line that says how it ended. */
function run({ text, finish, isBeside = false }: Run): Entry[] {
  const whole = finish === 'stop' ? text : `${text}${lineBelow(finish)}`;
  const json = JSON.stringify(whole);
  const size = new TextEncoder().encode(json).length;
  const answer = isBeside ? { blob: 'b-1', size, preview: json.slice(0, 1_200) } : whole;
  const half = Math.ceil(text.length / 2);
  return journal(
    started(),
    opened(1, 0, { kind: 'turn' }),
    said(1, text.slice(0, half)),
    said(1, text.slice(half)),
    closed(1, { result: { finish } }),
    ended(undefined, { answer }),
  );
}

function told(as: As, entries: readonly Entry[]): string {
  const telling = ownProtocols[as].telling({ run: 'run-1' });
  return entries.map((entry) => sseTexts(telling.tell(entry))).join('');
}

function block(as: As, entries: readonly Entry[]): unknown {
  return ownProtocols[as].block?.(entries, 0, { run: 'run-1' });
}

describe('an answer that was cut off and is kept beside the journal', () => {
  const entries = run({ text: words, finish: 'budget', isBeside: true });

  test.for(['openai-chat', 'dial', 'ag-ui', 'ai-sdk', 'two-stage', 'a2ui-flat', 'console'] as const)(
    '[P98] %s: says so',
    (as) => {
      const frames = told(as, entries);
      expect(frames.split('was cut off by the budget of this run')).toHaveLength(2);
      expect(frames, 'all of it was said').not.toContain('bytes in all');
    },
  );

  test('[P98] openai-responses: says so in the message and in the response', () => {
    const frames = told('openai-responses', entries);
    expect(frames).toContain(`"delta":${JSON.stringify(lineBelow('budget'))}`);
    expect(block('openai-responses', entries)).toMatchObject({
      output: [{ content: [{ text: `${words}${lineBelow('budget')}` }] }],
    });
  });

  test.for(['openai-chat', 'dial'] as const)('[P98] %s: a whole answer has it, too', (as) => {
    expect(block(as, entries)).toMatchObject({
      choices: [{ message: { content: `${words}${lineBelow('budget')}` } }],
    });
  });
});

describe.for([
  ['length', 'length', 'max_output_tokens', 'length'],
  ['budget', 'length', 'max_output_tokens', 'length'],
  ['filter', 'content_filter', 'content_filter', 'content-filter'],
] as const)('an answer that ended at its %s', ([finish, chat, responses, aiSdk]) => {
  describe.for([false, true])('kept beside the journal: %s', (isBeside) => {
    const entries = run({ text: isBeside ? words : 'There are three paths: A, B and', finish, isBeside });

    test.for(['openai-chat', 'dial'] as const)('[OA10] %s: ends as that', (as) => {
      expect(told(as, entries)).toContain(`"finish_reason":"${chat}"`);
      expect(told(as, entries)).not.toContain('"finish_reason":"stop"');
      expect(block(as, entries)).toMatchObject({ choices: [{ finish_reason: chat }] });
    });

    test('[OA10] openai-responses: is incomplete', () => {
      const frames = told('openai-responses', entries);
      expect(frames).toContain('event: response.incomplete\n');
      expect(frames).not.toContain('event: response.completed\n');
      expect(block('openai-responses', entries)).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: responses },
        output: [{ type: 'message', status: 'incomplete' }],
      });
    });

    test('[AI8] ai-sdk: ends as that', () => {
      expect(told('ai-sdk', entries)).toContain(`"finishReason":"${aiSdk}"`);
    });
  });
});

test.for(['openai-chat', 'dial', 'openai-responses', 'ai-sdk'] as const)(
  '[OA10] %s: an answer that does not go on from a turn that was cut off is whole',
  (as) => {
    const entries = journal(
      started(),
      opened(1, 0, { kind: 'turn' }),
      said(1, 'A draft that'),
      closed(1, { result: { finish: 'length' } }),
      ended('Seven.'),
    );
    expect(told(as, entries)).toMatch(/"stop"|response\.completed/);
  },
);
