// Applications as the workflow platform's own clients use them: streams, questions to people, sessions. Frame by frame they are
// in application-streams.test.ts.
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/catalog/agent.ts';
import { course, framesIn, watchChat, type Told } from '../application-stream.ts';
import { deskConfig, planOf, planStep, type Casting } from '../pipeline.ts';
import { keyIn, serving, temporaryFolder, textAt, untilAnswer, type Serving } from '../serving.ts';
import { agentOf } from '../world.ts';

const one = planOf('single', [planStep(1, 'graph')]);
const chat = '/api/applications/desk/chat';

async function desk(casting: Partial<Casting> = {}): Promise<Serving> {
  return serving({ config: deskConfig({ plans: [one], ...casting }) });
}

async function streamed(casting: Partial<Casting> = {}, message = 'Which paths?'): Promise<readonly Told[]> {
  const at = await desk(casting);
  return framesIn(await at.ask(`${chat}/stream`, { json: { message } }));
}

describe('a stream', () => {
  test('[PL70] [PL76] a plain answer: skills take the place of what stood for them', async () => {
    const frames = await streamed();
    expect(frames.at(-1)).toMatchObject({ title: 'Completed', final_output: 'three paths' });
    const rows = frames.at(-1)?.steps ?? [];
    expect(rows.find(({ id }) => id === 'step_skill_1')).toEqual({
      id: 'step_skill_1',
      icon: 'smart_toy',
      label: 'Running agent: Graph',
      detail: 'three paths',
      status: 'completed',
    });
    expect(rows.find(({ parent }) => parent === 'step_skill_1')).toMatchObject({
      label: '› Graph',
      icon: 'psychology',
    });
    expect(rows.filter(({ id }) => /^step_[a-z]/.test(id)).map(({ icon }) => icon)).toEqual([
      'shield',
      'auto_fix_high',
      'search',
      'account_tree',
      'smart_toy',
      'verified',
    ]);
  });

  test.for(['a2ui-0.8', 'a2ui-0.9', 'a2ui-1.0'])(
    '[PL71] %s is spoken to those who ask for it',
    async (dialect) => {
      const at = await desk();
      const answer = await at.ask(`${chat}/stream?dialect=${dialect}`, { json: { message: 'Which paths?' } });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('three paths');
      expect(answer.text).not.toContain('"type":"surfaceUpdate"');
      const wrong = await at.ask(`${chat}/stream?dialect=klingon`, { json: { message: 'hi' } });
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('dialect')]);
    },
  );

  test('[PL71] frames have cursors to come back to, and the same key joins the same run', async () => {
    const at = await desk();
    const send = () =>
      at.ask(`${chat}/stream`, { json: { message: 'Which paths?' }, headers: { 'idempotency-key': 'k' } });
    const first = await send();
    const again = await send();
    const run = first.headers.get('x-run-id');
    expect(again.headers.get('x-run-id')).toBe(run);
    expect(again.text).toBe(first.text);
    const ids = [...first.text.matchAll(/^id: (\S+)$/gm)].map(([, id = '']) => id);
    const cut = ids[Math.floor(ids.length / 2)] ?? '';
    const rest = await at.ask(`/api/runs/${run}/events?as=a2ui-flat&after=${cut}`);
    expect(first.text.endsWith(rest.text)).toBe(true);
    expect(rest.text.length).toBeGreaterThan(100);
  });
});

/** An agent that a person must agree to, and what it was sent. */
function gated(): { readonly agent: Agent; readonly sent: string[] } {
  const sent: string[] = [];
  const agent = agentOf(
    'graph',
    ({ messages }) => {
      sent.push(messages.at(-1)?.text ?? '');
      return [{ type: 'say', text: 'sent out' }];
    },
    'once',
  );
  return { agent: { ...agent, approval: 'always' }, sent };
}

describe('a person is asked', () => {
  const skillWaits = (text: string): boolean => text.includes('"status":"interrupted"');
  const stateIn = async (at: Serving, session: string): Promise<string> =>
    textAt(await at.ask(`${chat}/sessions/${session}`), 'conversation_state');

  test('[PL72] the stream stays open: interrupted, then resumed, then the answer', async () => {
    const { agent, sent } = gated();
    const at = await desk({ agents: [agent] });
    const stream = await watchChat(at.url, { message: 'Go', session_id: 's' });
    await stream.until(skillWaits);
    const more = await at.ask(chat, { json: { message: 'Hurry', session_id: 's' } });
    expect(more.status).toBe(409);
    expect(more.json).toMatchObject({
      conversation_state: 'awaiting_hitl_review',
      hitl_context: { run_id: stream.run, allowed_decisions: expect.arrayContaining(['approve', 'reject']) },
    });
    const alike = await at.ask(`${chat}/stream`, { json: { message: 'Hurry', session_id: 's' } });
    expect([alike.status, textAt(alike, 'error', 'code')]).toEqual([409, 'awaiting_hitl_review']);
    const decided = await at.ask(`${chat}/hitl-decide`, { json: { session_id: 's', action: 'approve' } });
    expect(decided.json).toMatchObject({
      status: 'completed',
      message: 'sent out',
      conversation_state: 'awaiting_input',
    });
    const text = await stream.until((told) => told.includes('"final_output":"sent out"'));
    const rows = course(framesIn({ status: 200, text }));
    expect(rows.slice(-6)).toEqual([
      `guardrails+ enhance+ rag+ plan+ skill_1> post_guard.`,
      `guardrails+ enhance+ rag+ plan+ skill_1? post_guard.`,
      `guardrails+ enhance+ rag+ plan+ skill_1~ post_guard.`,
      `guardrails+ enhance+ rag+ plan+ skill_1+ post_guard.`,
      `guardrails+ enhance+ rag+ plan+ skill_1+ post_guard>`,
      `guardrails+ enhance+ rag+ plan+ skill_1+ post_guard+`,
    ]);
    expect(sent).toHaveLength(1);
  });

  test('[PL72] edited, rejected and put off', async () => {
    const { agent, sent } = gated();
    const at = await desk({ agents: [agent] });
    const ask = (session: string) => at.ask(chat, { json: { message: 'Go', session_id: session } });
    const decide = (json: object) => at.ask(`${chat}/hitl-decide`, { json });
    expect((await ask('edited')).json).toMatchObject({ conversation_state: 'awaiting_hitl_review' });
    const bare = await decide({ session_id: 'edited', action: 'edit' });
    expect([bare.status, bare.text]).toEqual([400, expect.stringContaining('payload.changes')]);
    const edited = await decide({
      session_id: 'edited',
      action: 'edit',
      payload: { changes: 'Go slowly' },
    });
    expect([edited.status, edited.json], edited.text).toEqual([
      200,
      expect.objectContaining({ status: 'completed' }),
    ]);
    expect(sent).toEqual(['Go slowly']);
    await ask('rejected');
    const no = await decide({ session_id: 'rejected', action: 'reject', rationale: 'Not now' });
    expect(no.json).toMatchObject({ status: 'rejected', conversation_state: 'awaiting_input' });
    expect(textAt(no, 'message')).toContain('Graph was not done');
    await ask('later');
    const later = await decide({ session_id: 'later', action: 'defer' });
    expect(later.json).toMatchObject({ status: 'deferred', conversation_state: 'awaiting_hitl_review' });
    expect(await stateIn(at, 'later')).toBe('awaiting_hitl_review');
    expect((await decide({ session_id: 'later', action: 'approve' })).json).toMatchObject({
      status: 'completed',
    });
    expect((await decide({ session_id: 'later', action: 'approve' })).status).toBe(409);
    expect(sent).toHaveLength(2);
  });

  test('[PL73] whoever leaves stops nothing, and a session has what was said', async () => {
    const { agent } = gated();
    const at = await desk({ agents: [agent] });
    const stream = await watchChat(at.url, { message: 'Go', session_id: 's' });
    await stream.until(skillWaits);
    await stream.close();
    expect(await stateIn(at, 's')).toBe('awaiting_hitl_review');
    await at.ask(`${chat}/hitl-decide`, { json: { session_id: 's', action: 'approve' } });
    const { json } = await at.ask(`${chat}/sessions/s`);
    const { messages } = json as { messages: { role: string; content: string }[] };
    expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'assistant: Welcome.',
      'user: Go',
      'assistant: sent out',
    ]);
    expect((await at.ask(`${chat}/sessions/s`, { method: 'DELETE' })).status).toBe(204);
    expect((await at.ask(`${chat}/sessions/s`)).status).toBe(404);
  });
});

describe('a guard asks a person', () => {
  const mail = { guard: 'pii', action: 'ask' } as const;
  const guards = { input: [mail], output: [mail, { guard: 'rules', text: 'Nightjar' } as const] };
  const graph = agentOf(
    'graph',
    ({ messages }) => [
      { type: 'say', text: `Mail bob@example.com of Nightjar: ${messages.at(-1)?.text ?? ''}` },
    ],
    'idempotent',
  );
  const retrieval = { tools: [] };

  test('[GD30] who agrees lets the text out as it was shown; who does not, nothing', async () => {
    const at = await desk({ agents: [graph], guards, settings: { retrieval } });
    const say = (session_id: string, message: string) => at.ask(chat, { json: { message, session_id } });
    const decide = (session_id: string, action: string) =>
      at.ask(`${chat}/hitl-decide`, { json: { session_id, action } });
    const asked = await say('s', 'From ann@example.com');
    expect(textAt(asked, 'hitl_context', 'message')).toContain('From ann@example.com');
    const first = await decide('s', 'approve');
    expect(textAt(first, 'status')).toBe('interrupted');
    const more = await say('s', 'Hello?');
    const shown = 'Mail bob@example.com of [rule 1]: Clearly: From ann@example.com';
    expect(textAt(more, 'hitl_context', 'message')).toContain(shown);
    expect(textAt(await decide('s', 'approve'), 'message')).toBe(shown);
    const { text } = await at.ask(`${chat}/sessions/s`);
    expect(text).toContain(shown);
    await say('t', 'No address');
    const no = await decide('t', 'reject');
    expect(textAt(no, 'message')).toContain('The answer was withheld by safety filters. Violations: email');
    await say('u', 'From ann@example.com');
    const stopped = await decide('u', 'reject');
    expect(textAt(stopped, 'message')).toBe('Your message was blocked by safety filters. Violations: email');
  });
});

describe('who watches changes nothing', () => {
  test('[PL74] a reader that takes nothing holds nobody up', async () => {
    const { agent } = gated();
    const at = await desk({ agents: [agent] });
    const stalled = await watchChat(at.url, { message: 'Go', session_id: 's' });
    await untilAnswer(
      () => at.ask(`/api/runs/${stalled.run}`),
      (answer) => textAt(answer, 'status') === 'waiting',
    );
    const decided = await at.ask(`${chat}/hitl-decide`, { json: { session_id: 's', action: 'approve' } });
    expect(decided.json).toMatchObject({ status: 'completed' });
    const text = await stalled.until((told) => told.includes('"final_output":"sent out"'));
    expect(course(framesIn({ status: 200, text })).at(-1)).toBe(
      `guardrails+ enhance+ rag+ plan+ skill_1+ post_guard+`,
    );
  });

  test('[PL75] two people of one application share nothing', async () => {
    const data = temporaryFolder();
    const [ann = '', ben = ''] = ['ann', 'ben'].map((name) => keyIn(data, { name, role: 'member' }));
    const echo = agentOf(
      'graph',
      ({ messages }) => [{ type: 'say', text: messages.at(-1)?.text ?? '' }],
      'idempotent',
    );
    const at = await serving({ data, config: deskConfig({ plans: [one], agents: [echo] }) });
    const say = (key: string, message: string, session_id?: string) =>
      at.ask(chat, { key, json: { message, session_id } });
    const [first, other] = await Promise.all([say(ann, 'From Ann', 'mine'), say(ben, 'From Ben', 'mine')]);
    expect(textAt(first, 'message', 'content')).toContain('From Ann');
    expect(textAt(other, 'message', 'content')).toContain('From Ben');
    const session = textAt(first, 'session_id');
    expect((await at.ask(`${chat}/sessions/${session}`, { key: ben })).status).toBe(404);
    expect((await say(ben, 'Hello', session)).status).toBe(404);
    const { json } = await at.ask(`${chat}/history`, { key: ben });
    expect((json as { sessions: { title: string }[] }).sessions.map(({ title }) => title)).toEqual([
      'From Ben',
    ]);
  });
});
