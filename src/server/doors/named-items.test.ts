// The provider of the AI SDK sends what it was told by name alone (`store` is on unless said): these are its requests.
import { expect, test } from 'vitest';
import { appWith, serving, textAt, type Answered, type Serving } from '../../../test/serving.ts';

const echo = appWith(async (_, text) => `You said «${text}».`, 'echo');
const asks = appWith(async (scope, text) => {
  const { decision } = await scope.ask({ key: 'may', title: 'May I?', arguments: text });
  return `It was: ${decision}.`;
}, 'asks');

const at = (): Promise<Serving> => serving({ config: { apps: { echo, asks } } });
const user = (text: string) => ({ role: 'user', content: [{ type: 'input_text', text }] });
const named = (id: string) => ({ type: 'item_reference', id });

function asked({ ask }: Serving, model: string, input: readonly object[]): Promise<Answered> {
  return ask('/v1/responses', { json: { model, input } });
}

async function beginningOf({ ask }: Serving, { headers }: Answered): Promise<string> {
  return (await ask(`/api/runs/${headers.get('x-run-id')}/events`)).text;
}

test('[PR68] an answer that is only named stands in the conversation with its words', async () => {
  const server = await at();
  const first = await asked(server, 'echo', [user('one')]);
  const id = textAt(first, 'output', 0, 'id');
  const second = await asked(server, 'echo', [user('one'), named(id), user('two')]);
  expect(second.status).toBe(200);
  const told = await beginningOf(server, second);
  expect(told).toContain('{"role":"assistant","text":"You said «one».","run":"run_');
  expect(told).not.toContain('_IGNORED');
  const bare = await asked(server, 'echo', [user('one'), { id }, user('two')]);
  expect(await beginningOf(server, bare)).toContain('You said «one».');
});

test('[PR68] what was decided before a named answer is history, and what stands behind it decides', async () => {
  const server = await at();
  const first = await asked(server, 'asks', [user('go')]);
  const question = textAt(first, 'output', 0, 'id');
  const response = { type: 'mcp_approval_response', approval_request_id: question, approve: true };
  const before = [user('go'), named(question), response];
  const decided = await asked(server, 'asks', before);
  expect(textAt(decided, 'output', 0, 'content', 0, 'text')).toBe('It was: approve.');
  const answer = named(textAt(decided, 'output', 0, 'id'));
  const next = await asked(server, 'echo', [...before, answer, user('again')]);
  expect(next.status).toBe(200);
  const told = await beginningOf(server, next);
  expect(told).toContain('"text":"It was: approve."');
  expect(told).not.toContain('_IGNORED');
});

test.for([
  ['of another server', 'msg_0123456789abcdef', 'REQUEST_FIELD_IGNORED'],
  ['of a run that is not here', 'msg_run_x.0.1', 'CLIENT_STATE_IGNORED'],
] as const)('[PR68] a name %s is left out, which a notice says', async ([, id, code]) => {
  const server = await at();
  const told = await beginningOf(server, await asked(server, 'echo', [user('one'), named(id), user('two')]));
  expect(told).toMatch(new RegExp(`"code":"${code}","message":"[^"]*not known here`));
  expect(told).not.toContain('"role":"assistant"');
});

test('[PR68] an answer that was never given, and what is no message, says nothing', async () => {
  const server = await at();
  const run = (await asked(server, 'echo', [user('one')])).headers.get('x-run-id');
  const items = [named(`msg_${run}.0.999`), named(`msg_${run}.7.0`)];
  const told = await beginningOf(server, await asked(server, 'echo', [...items, user('two')]));
  expect(told).not.toContain('"role":"assistant"');
});

test.for([
  ['words', 'Delete it', { text: 'Delete it' }],
  ['words with what is not seen', 'a\u202eb', { text: String.raw`a\u202eb` }],
  ['a value', { id: 7 }, { id: 7 }],
  ['nothing', undefined, {}],
] as const)('[PR69] what will run is JSON in a request for an approval: %s', async ([, given, shown]) => {
  const may = appWith(async (scope) => {
    const about = given === undefined ? {} : { arguments: given };
    return (await scope.ask({ key: 'may', title: 'May I?', ...about })).decision;
  }, 'may');
  const server = await serving({ config: { apps: { may } } });
  const answer = await asked(server, 'may', [user('go')]);
  expect(JSON.parse(textAt(answer, 'output', 0, 'arguments'))).toEqual(shown);
});
