import { expect, test } from 'vitest';
import type { AgentEvent } from '../../gateways/gateway.ts';
import { inPieces } from './turn-reader.ts';

/** What is taken, with a mark wherever others are served. */
async function taken(events: readonly AgentEvent[], enough = Infinity): Promise<readonly string[]> {
  const said: string[] = [];
  const clock = { breather: () => async () => void said.push('|') };
  const take = inPieces(clock, new AbortController().signal, (some) => {
    for (const event of some) said.push('text' in event ? event.text : event.type);
    return said.length >= enough;
  });
  await take(events);
  return said;
}

const text = (said: string): AgentEvent => ({ type: 'text.appended', text: said });

test('[V138] what a chunk brought is taken at once where it is little', async () => {
  expect(await taken(Array.from({ length: 32 }, () => text('a')))).toEqual(Array(32).fill('a'));
});

test('[V138] of many events each is taken by itself, and of those after enough none', async () => {
  const many = Array.from({ length: 40 }, (_, i) => text(`${i}`));
  expect((await taken(many)).slice(0, 5)).toEqual(['0', '|', '1', '|', '2']);
  expect(await taken(many, 5)).toEqual(['0', '|', '1', '|', '2']);
});

test('[V138] a long text comes in pieces that make up the same, and no pair is cut', async () => {
  const long = `a${'😀'.repeat(20_000)}`;
  const pieces = (await taken([text(long)])).filter((each) => each !== '|');
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.join('')).toBe(long);
  for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
});

test('[V138] nothing more is taken once the turn is over', async () => {
  const over = new AbortController();
  const said: string[] = [];
  const take = inPieces({ breather: () => async () => over.abort() }, over.signal, (some) => {
    said.push(...some.map(({ type }) => type));
    return false;
  });
  await take(Array.from({ length: 40 }, () => text('a')));
  expect(said).toHaveLength(1);
});

test('[V138] a stream that floods has one breath, however many chunks it comes in', async () => {
  let breathers = 0;
  const breather = () => {
    breathers += 1;
    return async () => {};
  };
  const take = inPieces({ breather }, new AbortController().signal, () => false);
  for (let chunk = 0; chunk < 5; chunk += 1) await take(Array.from({ length: 40 }, () => text('a')));
  expect(breathers).toBe(1);
});
