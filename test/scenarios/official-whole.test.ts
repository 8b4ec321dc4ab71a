// Official clients that watch, call or give tasks, put through the whole scenario: all at one server, which crashes once.
import { expect, test, vi } from 'vitest';
import { expectNothingPrinted, teamServer } from '../official/openai.ts';
import { peerClients } from '../official/peer-clients.ts';
import { officialServer } from '../official/process.ts';
import { half, ordersIn, standStill, teamAnswer, teamPieces, teamTree } from '../official/team.ts';
import { watchers, type Begin, type Watcher } from '../official/watchers.ts';

expectNothingPrinted();

const clients: Readonly<Record<string, Begin>> = { ...watchers, ...peerClients };
const names = Object.keys(clients);
const halfAnswer = teamPieces.slice(0, half).join('');

/** What a client can show of the tree: A2UI has three levels, and marks what is deeper. */
function treeIn(name: string): readonly (readonly string[])[] {
  if (!name.startsWith('a2ui')) return teamTree;
  return teamTree.map((path) => (path.length > 3 ? [...path.slice(0, 2), `› ${path[3]}`] : path));
}

async function begunAt(url: string, text: string): Promise<Map<string, Watcher>> {
  const begun = await Promise.all(
    names.map(async (name) => [name, await clients[name]?.(url, `${text} ${name}`)] as const),
  );
  return new Map(begun.flatMap(([name, watcher]) => (watcher ? [[name, watcher] as const] : [])));
}

/** What it has of half an answer: a call of MCP says nothing before its end, and A2UI joins what grows. */
function soFar(name: string): RegExp {
  if (name === 'mcp') return /^$/;
  return name.startsWith('a2ui') ? /^The / : new RegExp(`^${halfAnswer}$`);
}

/** Once every client sees that it is asked, they agree; once all see half of the answer, it is given back. */
async function agreed(all: ReadonlyMap<string, Watcher>): Promise<void> {
  for (const [name, watcher] of all)
    await vi.waitFor(() => expect(watcher.seen().status, name).toBe('waiting'));
  for (const watcher of all.values()) await watcher.approve();
  for (const [name, watcher] of all)
    await vi.waitFor(() => {
      const { answer, paths } = watcher.seen();
      expect(paths.at(-1), name).toEqual(['Answer', 'Writing']);
      expect(answer, name).toMatch(soFar(name));
    });
}

test('[PR30] nested agents, a tool, an approval, a crash in the middle of the answer: each comes to the end of the journal', async () => {
  const server = await officialServer();
  const all = await begunAt(server.url, 'Frankenstein');
  expect(server.orders()).toEqual([]);
  server.still(true);
  await agreed(all);
  await server.crash();
  server.still(false);
  for (const [name, watcher] of all) {
    await watcher.over;
    const { status, answer } = await server.tree(watcher.run);
    expect({ name, status, answer }).toEqual({ name, status: 'completed', answer: teamAnswer });
    expect(watcher.seen(), name).toEqual({ status, answer, paths: treeIn(name) });
  }
  expect(server.orders()).toEqual(names.map(() => '{"item":"Frankenstein"}'));
});

test('[PR30] stop, in the middle of the answer: each is told so, and the order stands', async () => {
  const at = await teamServer();
  standStill(at.folder, true);
  const all = await begunAt(at.url, 'slow Frankenstein');
  await agreed(all);
  for (const [name, watcher] of all) {
    await watcher.stop();
    await watcher.over;
    const { json } = await at.ask(`/api/runs/${watcher.run}`);
    expect(json, name).toMatchObject({ status: 'stopped' });
    expect(watcher.seen(), name).toMatchObject({ status: 'stopped', paths: treeIn(name) });
  }
  expect(ordersIn(at.folder)).toHaveLength(names.length);
});
