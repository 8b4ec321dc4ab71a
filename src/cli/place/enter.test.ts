import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { appWith, serving, temporaryFolder, untilAnswer, type Serving } from '../../../test/serving.ts';
import { vitrineClient } from '../../client/client.ts';
import { socketPath } from '../../server/folder/socket-path.ts';
import { lookAround, enterHome } from './enter.ts';
import { treeOf } from './find.ts';

const apps = { says: appWith(async (_, text) => `you said ${text}`, 'says') };

async function said(at: Serving): Promise<string> {
  const { run } = await vitrineClient({ url: at.url }).start({ text: 'hello' });
  await untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    ({ text }) => text.includes('completed'),
  );
  return run;
}

/** A process that has the socket of a folder, and says nothing there. */
async function standingStill(data: string): Promise<void> {
  const sockets: Socket[] = [];
  const still = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => still.listen(socketPath(data), resolve));
  onTestFinished(() => {
    still.close();
    for (const socket of sockets) socket.destroy();
  });
}

test('[Z15] a process that stands still keeps nobody from reading', async () => {
  const data = temporaryFolder();
  const at = await serving({ data, config: { apps } });
  const run = await said(at);
  await at.close();
  await standingStill(data);
  const looking = await lookAround({ data });
  expect((await vitrineClient(looking.server).runs()).runs.map((one) => one.run)).toEqual([run]);
  await looking.close();
});

test('[Z15] what a process recorded before it went is read after, and nothing is asked of nobody', async () => {
  const data = temporaryFolder();
  const at = await serving({ data, config: { apps } });
  const run = await said(at);
  const home = await enterHome({ data });
  expect([home.isHolder, home.isGone()]).toEqual([false, false]);
  await at.close();
  expect((await treeOf(home.server, run)).ended?.answer).toBe('you said hello');
  expect([home.isGone(), await home.standing(run)]).toEqual([true, { is: 'ended' }]);
  await expect(home.send(run, { type: 'stop', by: 'ann' })).rejects.toMatchObject({
    failure: { code: 'unavailable', message: expect.stringContaining('ended before it answered') },
  });
  await home.close();
});

test('[Z13] a folder whose process keeps runs in memory is looked at through that process', async () => {
  const at = await serving({ config: { apps, store: 'memory' } });
  const run = await said(at);
  const looking = await lookAround({ data: at.data });
  expect((await treeOf(looking.server, run)).ended?.answer).toBe('you said hello');
  await looking.close();
});
