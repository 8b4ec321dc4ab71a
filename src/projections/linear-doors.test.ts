import { expect, test } from 'vitest';
import { isLinear } from '../../test/growth.ts';
import { ownProtocols } from './own-protocols.ts';

const many = (count: number, one: (i: number) => object): object[] =>
  Array.from({ length: count }, (_, i) => one(i));
const asked = { role: 'user', content: 'x' };
const answered = (i: number): object => ({ id: `run_${i}-answer`, role: 'assistant', content: `a${i}` });

/** Requests with a long history, every answer of which says that it is of another run. */
const requests: Readonly<Record<string, (count: number) => unknown>> = {
  '/ag-ui/:app': (count) => ({ threadId: 't', runId: 'r', messages: [...many(count, answered), asked] }),
  '/ai-sdk/:app/chat': (count) => ({
    id: 't',
    messages: [
      ...many(count, (i) => ({ id: `run_${i}`, role: 'assistant', parts: [{ type: 'text', text: 'a' }] })),
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'x' }] },
    ],
  }),
  '/v1/chat/completions': (count) => ({ model: 'a', messages: [...many(count, answered), asked] }),
  '/v1/responses': (count) => ({
    model: 'a',
    input: [...many(count, (i) => ({ ...answered(i), id: `msg_run_${i}.0.1` })), asked],
  }),
  '/openai/deployments/:app/chat/completions': (count) => ({
    messages: [
      ...many(count, (i) => ({
        ...answered(i),
        custom_content: { state: { vitrine: { run: `run_${i}` } } },
      })),
      asked,
    ],
  }),
};

test.for(Object.keys(requests))('[L12] a long history at %s costs what it is long', (path) => {
  const doors = Object.values(ownProtocols).flatMap(({ doors: all }) => all);
  const door = doors.find((each) => each.path === path && each.method !== 'GET');
  const made = new Map([500, 4_000].map((count) => [count, requests[path]?.(count)]));
  const read = (count: number): unknown =>
    door?.read({ params: { app: 'a' }, query: {}, body: made.get(count), header: () => undefined });
  expect(read(500)).toMatchObject({ wants: 'start' });
  expect(isLinear(read, 500, 8)).toBe(true);
});
