// To agree to a call accepts its tool: for whom, depends on who could decide there.
import { McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { scriptedGateway, type Flow } from '../../src/index.ts';
import { vitrine } from '../vitrine.ts';
import { serveHttp } from '../mcp/servers.ts';
import { keyIn, serving, temporaryFolder, textAt, untilAnswer } from '../serving.ts';

const look = { name: 'far__look', description: 'Looks.', schema: {} };
const flow: Flow = {
  name: 'looks',
  version: '1',
  async run(scope) {
    await scope.turn('model', { messages: [{ role: 'user', text: 'Go.' }], tools: [look] });
    return (await scope.call(look.name, {})).outcome;
  },
};

async function foreignServer() {
  const served = await serveHttp(() => {
    const server = new McpServer({ name: 'far', version: '1' });
    server.registerTool('look', { description: 'Looks.' }, () => ({
      content: [{ type: 'text', text: 'seen' }],
    }));
    return server;
  });
  onTestFinished(() => served.close());
  const [approval, effect, sends] = [{ look: 'never' }, { look: 'pure' }, { look: false }] as const;
  return { mcp: { name: 'far', url: served.url, approval, effect, sends } };
}

/** People of two tenants, and apps that differ in who decides. */
async function house() {
  const data = temporaryFolder();
  const keys = {
    ann: keyIn(data, { name: 'ann', tenant: 't1' }),
    amy: keyIn(data, { name: 'amy', tenant: 't1', role: 'approver' }),
    zap: keyIn(data, { name: 'zap', tenant: 't2' }),
    zoe: keyIn(data, { name: 'zoe', tenant: 't2', role: 'operator' }),
  };
  const at = await serving({
    data,
    config: {
      apps: {
        own: { flow },
        overseen: { flow, approvals: 'approver' },
        witnessed: { flow, approvals: 'second-person' },
      },
      agents: { model: { gateway: scriptedGateway([[{ type: 'say', text: 'Hm.' }]]), effect: 'pure' } },
      tools: [await foreignServer()],
      auth: { required: true },
    },
  });
  const begin = async (who: keyof typeof keys, app: string) => {
    const key = keys[who];
    const run = textAt(await at.ask('/api/runs', { key, json: { app, input: { text: 'x' } } }), 'run');
    const told = await untilAnswer(
      () => at.ask(`/api/runs/${run}`, { key }),
      ({ text }) => /"endedAt"|"fingerprint"/.test(text),
    );
    return { run, asks: told.text.includes('nobody has approved it yet'), text: told.text };
  };
  /** Whether the tool is accepted there: its call does not ask, and what it says of itself is no stranger's text. */
  const isAccepted = async (who: keyof typeof keys, app: string): Promise<boolean> => {
    const { asks, text } = await begin(who, app);
    expect(text.includes('"untrusted":"tools"')).toBe(asks);
    return !asks;
  };
  const accept = async (who: keyof typeof keys, app: string, by = who): Promise<void> => {
    const key = keys[by];
    const { run } = await begin(who, app);
    const question = `/api/approvals/${run}.a1`;
    const fingerprint = textAt(await at.ask(question, { key }), 'fingerprint');
    const decided = await at.ask(question, { key, json: { decision: 'approve', fingerprint } });
    expect(decided.status).toBe(200);
    await untilAnswer(
      () => at.ask(`/api/runs/${run}`, { key }),
      ({ text }) => text.includes('"endedAt"'),
    );
  };
  return { data, isAccepted, accept };
}

test('[T100] what somebody accepts by agreeing to a call counts in their tenant, and where they could decide', async () => {
  const { isAccepted, accept } = await house();
  const ofAnn = async (): Promise<boolean[]> => [
    await isAccepted('ann', 'own'),
    await isAccepted('ann', 'overseen'),
    await isAccepted('ann', 'witnessed'),
  ];
  await accept('zap', 'own');
  expect(await isAccepted('zap', 'own')).toBe(true);
  expect(await ofAnn()).toEqual([false, false, false]);
  await accept('ann', 'own');
  expect(await ofAnn()).toEqual([true, false, false]);
  await accept('amy', 'overseen');
  expect(await ofAnn()).toEqual([true, true, false]);
  await accept('ann', 'witnessed', 'amy');
  expect(await ofAnn()).toEqual([true, true, true]);
  expect(await isAccepted('zap', 'overseen')).toBe(false);
});

test('[T101] what the owner of the folder approves at the terminal counts for everybody', async () => {
  const { data, isAccepted, accept } = await house();
  await accept('zoe', 'overseen');
  const listed = await vitrine(['pins', '--data', data], { cwd: data });
  expect(listed.out).toMatch(/far\/look .*nobody has approved it yet[^]*accepted {3}in t2 \(approver\)/);
  await vitrine(['pins', 'approve', 'far', '--data', data], { cwd: data });
  expect(await isAccepted('ann', 'witnessed')).toBe(true);
  expect(await isAccepted('zap', 'witnessed')).toBe(true);
  expect((await vitrine(['pins', '--data', data, '--json'], { cwd: data })).out).toContain(
    '"accepted":[{"tenant":"t2","approvals":"approver"}]',
  );
});
