import { wordsOf } from '../pace.ts';
import type { Completion } from './completion.ts';

/** A chunk of the stream, and how many words a reader has to take in with it. */
export interface Piece {
  readonly chunk: object;
  readonly words: number;
}

/** An answer as the chunks of a stream: thoughts, text word by word, arguments in pieces, the end, the usage. */
export function* piecesOf(completion: Completion, withUsage: boolean): Generator<Piece> {
  const { id, created, model, reasoning, text, calls, finish, usage } = completion;
  const head = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: 'scripted' };
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
    ...(withUsage && { usage: null }),
  });
  yield { chunk: chunk({ role: 'assistant', content: '' }), words: 0 };
  // Thoughts are read in passing.
  yield { chunk: chunk({ reasoning_content: reasoning }), words: 2 };
  // Nobody reads JSON word by word.
  const reading = /^[[{]/.test(text) ? 0.25 : 1;
  for (const content of wordsOf(text)) yield { chunk: chunk({ content }), words: reading };
  for (const [index, { id: call, tool, arguments: given }] of calls.entries()) {
    const opening = { index, id: call, type: 'function', function: { name: tool, arguments: '' } };
    yield { chunk: chunk({ tool_calls: [opening] }), words: 1 };
    for (const piece of JSON.stringify(given).match(/[\s\S]{1,24}/gu) ?? [])
      yield { chunk: chunk({ tool_calls: [{ index, function: { arguments: piece } }] }), words: 0.25 };
  }
  yield { chunk: chunk({}, finish), words: 0 };
  if (withUsage) yield { chunk: { ...head, choices: [], usage }, words: 0 };
}
