import { describe, expect, test } from 'vitest';
import { ask, begin, resultsIn, say, stepsOf, type Talk } from '../../../test/conversation.ts';
import { ended, entriesOf, toolOf, treeOf, until } from '../../../test/world.ts';
import { Engine } from '../../../test/engine.ts';
import { RunError } from '../../run/failure.ts';
import { goOn, ResumeRequest } from '../../run/tool-pause.ts';
import { resumeCommand } from './resume.ts';

async function paused(labels: Record<string, string> = { requestId: 'req_1' }) {
  const talk = await begin({
    model: ({ messages, tools }) =>
      tools && resultsIn(messages) < 2 ? [ask('read_file', { page: resultsIn(messages) })] : [say('Read.')],
    tools: [toolOf('read_file', (input) => input)],
    rules: { pauseAfterTool: true },
    request: { labels },
  });
  const over = new AbortController();
  const working = talk.engine.work(over.signal);
  const finish = async (): Promise<void> => {
    over.abort();
    await working;
  };
  return { ...talk, finish };
}

/** As a route would do it: read the run, make the command, send it. */
async function resume({ world, engine, run }: Talk, requestId: string, toolBatchId: number) {
  const tree = await treeOf(world.store, run);
  const { id, command } = resumeCommand(tree, { run, requestId, toolBatchId, by: 'ann' });
  return engine.send(run, command, id);
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  if (!(thrown instanceof RunError)) throw new Error('it was not refused');
  return `${thrown.failure.code}: ${thrown.failure.message}`;
}

describe('pause after tool', () => {
  test('[C40] waits after each tool phase, parked, until it is resumed by request and batch', async () => {
    const talk = await paused();
    const { world, engine, run, turns } = talk;
    const first = await until(world.store, run, ({ undecided }) => undecided === 1);
    expect([...first.approvals.values()][0]).toMatchObject({
      arguments: { requestId: 'req_1', toolBatchId: 1 },
    });
    await engine.idle();
    expect(await world.store.dispatch.get(run)).toMatchObject({ state: 'waiting', status: 'waiting' });
    expect(turns).toHaveLength(1);
    await resume(talk, 'req_1', 1);
    await until(world.store, run, ({ approvals }) => approvals.size === 2);
    await resume(talk, 'req_1', 2);
    const tree = await ended(world.store, run);
    expect(tree.ended?.answer).toBe('Read.');
    expect(turns).toHaveLength(3);
    await talk.finish();
  });

  test('[C73] to go on is to resume what is paused, and else to agree to what waits after a tool phase', async () => {
    const { world, run, finish } = await paused();
    const tree = await until(world.store, run, ({ undecided }) => undecided === 1);
    expect(goOn({ ...tree, paused: true }, 'bob')).toEqual({ type: 'resume', by: 'bob' });
    const [asked] = tree.approvals.values();
    const { approval, fingerprint } = asked ?? {};
    expect(goOn(tree, 'bob')).toEqual({
      type: 'decide',
      by: 'bob',
      approval,
      fingerprint,
      decision: 'approve',
    });
    await finish();
  });

  test('[C40] without a name of its own, the request is the run', async () => {
    const talk = await paused({});
    await until(talk.world.store, talk.run, ({ undecided }) => undecided === 1);
    await resume(talk, talk.run, 1);
    await until(talk.world.store, talk.run, ({ approvals }) => approvals.size === 2);
    await talk.finish();
  });

  test('[C41] another batch and another request are refused, and change nothing', async () => {
    const talk = await paused();
    await until(talk.world.store, talk.run, ({ undecided }) => undecided === 1);
    const before = (await entriesOf(talk.world.store, talk.run)).length;
    expect(await refusal(resume(talk, 'req_1', 2))).toBe(
      'rejected: Request req_1 does not wait after batch 2; it waits after batch 1.',
    );
    expect(await refusal(resume(talk, 'req_1', 0))).toContain('does not wait after batch 0');
    expect(await refusal(resume(talk, 'req_2', 1))).toContain('unknown: Run');
    await talk.engine.idle();
    expect(await entriesOf(talk.world.store, talk.run)).toHaveLength(before);
    await talk.finish();
  });

  test('[C43] [R35] resuming again gets the same receipt, and goes on once', async () => {
    const talk = await paused();
    await until(talk.world.store, talk.run, ({ undecided }) => undecided === 1);
    const first = await resume(talk, 'req_1', 1);
    await until(talk.world.store, talk.run, ({ approvals }) => approvals.size === 2);
    const again = await resume(talk, 'req_1', 1);
    expect(again).toMatchObject({ id: first.id, fresh: false });
    expect(talk.turns).toHaveLength(2);
    await resume(talk, 'req_1', 2);
    await ended(talk.world.store, talk.run);
    await talk.finish();
  });

  test('[C42] after a stop everything is refused', async () => {
    const talk = await paused();
    await until(talk.world.store, talk.run, ({ undecided }) => undecided === 1);
    const asked = resumeCommand(await treeOf(talk.world.store, talk.run), {
      run: talk.run,
      requestId: 'req_1',
      toolBatchId: 1,
      by: 'ann',
    });
    await talk.engine.send(talk.run, { type: 'stop', by: 'ann' });
    const tree = await ended(talk.world.store, talk.run);
    expect(tree.ended?.outcome).toBe('stopped');
    expect(await refusal(resume(talk, 'req_1', 1))).toBe(
      'rejected: Request req_1 has ended (stopped), so nothing can be resumed.',
    );
    // Also a command that was made before the stop and is sent after it.
    expect(await refusal(talk.engine.send(talk.run, asked.command, asked.id))).toContain('rejected');
    expect(talk.turns).toHaveLength(1);
    await talk.finish();
  });

  test('[C43] a batch that was decided otherwise says by whom', async () => {
    const talk = await paused();
    const tree = await until(talk.world.store, talk.run, ({ undecided }) => undecided === 1);
    const [asked] = [...tree.approvals.values()];
    const { approval = '', fingerprint = '' } = asked ?? {};
    await talk.engine.send(talk.run, {
      type: 'decide',
      by: 'bob',
      approval,
      fingerprint,
      decision: 'approve',
    });
    await until(talk.world.store, talk.run, ({ approvals }) => approvals.size === 2);
    expect(await refusal(resume(talk, 'req_1', 1))).toMatch(/rejected: Batch 1: bob decided «approve» at/);
    await talk.finish();
  });

  test('[C40] whoever rejects ends it there, with what the tools returned', async () => {
    const talk = await paused();
    const tree = await until(talk.world.store, talk.run, ({ undecided }) => undecided === 1);
    const [approval = ''] = [...tree.approvals.keys()];
    const rationale = 'That is enough.';
    await talk.engine.send(talk.run, { type: 'decide', by: 'bob', approval, decision: 'reject', rationale });
    const after = await ended(talk.world.store, talk.run);
    expect(after.ended?.answer).toContain('bob ended the run after batch 1: That is enough.');
    expect(after.ended?.answer).toContain('{"page":0}');
    expect(talk.turns).toHaveLength(1);
    expect(stepsOf(after, 'verdict')[0]?.result).toMatchObject({ code: 'person' });
    await talk.finish();
  });

  test('[C40] a pause survives the worker', async () => {
    const talk = await paused();
    await until(talk.world.store, talk.run, ({ undecided }) => undecided === 1);
    await talk.finish();
    const other = new Engine(talk.world, 'w2');
    const over = new AbortController();
    const working = other.work(over.signal);
    await resume(talk, 'req_1', 1);
    await until(talk.world.store, talk.run, ({ approvals }) => approvals.size === 2);
    await resume(talk, 'req_1', 2);
    expect((await ended(talk.world.store, talk.run)).ended?.answer).toBe('Read.');
    expect(talk.turns).toHaveLength(3);
    over.abort();
    await working;
  });

  test('[C41] what a client sends is checked', () => {
    expect(ResumeRequest.safeParse({ requestId: 'r', toolBatchId: 1 }).success).toBe(true);
    for (const wrong of [
      { requestId: '', toolBatchId: 1 },
      { requestId: 'r' },
      { requestId: 'r', toolBatchId: '1' },
    ])
      expect(ResumeRequest.safeParse(wrong).success).toBe(false);
  });
});
