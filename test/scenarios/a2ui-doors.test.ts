// A2UI at the doors of a real server: asked, watched, and come back to.
import { expect, test } from 'vitest';
import { surfaceClient } from '../a2ui/clients.ts';
import { versions } from '../a2ui/schemas.ts';
import { EchoClient } from '../echo-client.ts';
import { appWith, serving, type Answered } from '../serving.ts';

const hello = appWith(async (scope, text) => {
  await scope.step({ key: 'look', title: 'Looking' }, async (step) => step.say('Seen.'));
  return `You said ${text}`;
});

function linesOf({ status, text }: Answered): string[] {
  expect(status, text).toBe(200);
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
}

test.for(versions)(
  '[UI2] [UI7] %s: a surface that is asked for is the one that is come back to',
  async (version) => {
    const at = await serving({ config: { apps: { hello } } });
    const path = version.replace('-', '/');
    const asked = await at.ask(`/${path}/hello`, { json: { message: 'hi' } });
    const run = asked.headers.get('x-run-id') ?? '';
    const live = surfaceClient(version, run);
    for (const line of linesOf(asked)) live.take(line);
    const back = surfaceClient(version, run);
    for (const line of linesOf(await at.ask(`/${path}/runs/${run}`))) back.take(line);
    expect(JSON.stringify(live.state())).toContain('You said hi');
    expect(back.state()).toEqual(live.state());
    // One that still has the surface comes back to it without an error.
    for (const line of linesOf(await at.ask(`/${path}/runs/${run}`))) live.take(line);
    expect(live.state()).toEqual(back.state());
    const wrong = await at.ask(`/${path}/hello`, { json: { text: 'hi' } });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('message: ')]);
    expect((await at.ask(`/${path}/nobody`, { json: { message: 'hi' } })).status).toBe(404);
  },
);

test('[UI9] the flat dialect is spoken where the workflow platform’s own client asks', async () => {
  const at = await serving({ config: { apps: { hello } } });
  const ask = (json: object) => at.ask('/api/applications/hello/chat/stream', { json });
  const asked = await ask({ message: 'hi', session_id: null });
  const run = asked.headers.get('x-run-id') ?? '';
  const [live, back] = [new EchoClient(), new EchoClient()];
  for (const line of linesOf(asked)) live.take(line);
  for (const line of linesOf(await at.ask(`/a2ui/flat/runs/${run}`))) back.take(line);
  expect(live.state(`exec_${run}`)).toMatchObject({
    title: 'Completed',
    final_output: 'You said hi',
    steps: [{ label: 'Looking', detail: 'Seen.', status: 'completed' }],
  });
  expect(back.state(`exec_${run}`)).toEqual(live.state(`exec_${run}`));
  for (const message of ['one', 'two']) linesOf(await ask({ message, session_id: 's' }));
  const { json } = await at.ask('/api/runs?conversation=s');
  expect((json as { runs: unknown[] }).runs).toHaveLength(2);
});
