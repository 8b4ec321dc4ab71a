// All that the demo documents, asked in one conversation: at a server and in a folder it is the same.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { undecidedApprovals, type RunTree } from '../../src/run/tree.ts';
import { heldFolder } from '../../src/cli/place/held.ts';
import { hostFolder } from '../../src/server/host-folder.ts';
import { loadConfig, demoWorld } from '../../src/server/compose/config.ts';
import { decideOn, serving, temporaryFolder, textAt, untilAnswer } from '../serving.ts';
import { ended, until } from '../world.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function documented(): string[] {
  const [, table = ''] = readFileSync(join(root, 'docs/demo.md'), 'utf8').split('## What can be asked');
  const rows = table.split('\n').filter((line) => /^\| (◆ )?`/.test(line));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
  );
}

type Ask = (question: string) => Promise<string>;

/** A place to ask in, with a world of its own. */
interface Place {
  readonly ask: Ask;
  close(): Promise<void>;
}

const conversation = 'all of it';

async function atServer(): Promise<Place> {
  const data = temporaryFolder();
  const { config } = await loadConfig({ folder: root, data, pace: 0 }, demoWorld);
  const at = await serving({ data, config });
  const ask: Ask = async (text) => {
    const json = { app: 'demo', input: { text }, conversation };
    const run = textAt(await at.ask('/api/runs', { json }), 'run');
    for (;;) {
      const tree = await untilAnswer(
        () => at.ask(`/api/runs/${run}`),
        (one) => /completed|failed|waiting/.test(textAt(one, 'status')),
      );
      if (textAt(tree, 'status') !== 'waiting') return `${textAt(tree, 'status')}: ${textAt(tree, 'answer')}`;
      const { approvals } = tree.json as {
        readonly approvals: readonly { id: string; decision?: unknown }[];
      };
      const open = approvals.filter(({ decision }) => decision === undefined);
      for (const { id } of open) await decideOn(at, id);
    }
  };
  return { ask, close: () => at.close() };
}

async function inFolder(): Promise<Place> {
  const data = temporaryFolder();
  const { config } = await loadConfig({ folder: root, data, pace: 0 }, demoWorld);
  const hosted = await hostFolder({ data, config, takes: 'asked' });
  const home = heldFolder(hosted);
  const { store } = hosted.context.home;
  const ask: Ask = async (text) => {
    const { run } = await home.start({
      app: 'demo',
      flow: 'coordinate@2',
      text,
      conversation,
      key: `key-${Buffer.from(text).toString('hex').slice(0, 100)}`,
    });
    const asking = (tree: RunTree): boolean =>
      tree.ended !== undefined || undecidedApprovals(tree).length > 0;
    for (const { approval, fingerprint } of undecidedApprovals(await until(store, run, asking)))
      await home.send(run, { type: 'decide', by: 'ann', approval, fingerprint, decision: 'approve' });
    const { ended: end } = await ended(store, run);
    return `${end?.outcome}: ${typeof end?.answer === 'string' ? end.answer : 'kept elsewhere'}`;
  };
  return { ask, close: () => home.close() };
}

test(
  'every documented question in one conversation has the same answer at a server and in a folder',
  { timeout: 300_000 },
  async () => {
    const questions = documented();
    expect(questions.length).toBeGreaterThan(20);
    const places = await Promise.all([atServer(), inFolder()]);
    const [there = [], here = []] = await Promise.all(
      places.map(async ({ ask }) => {
        const answers: string[] = [];
        for (const question of questions) answers.push(`${question} → ${await ask(question)}`);
        return answers;
      }),
    );
    await Promise.all(places.map((place) => place.close()));
    expect(there).toEqual(here);
    for (const answer of here) {
      expect(answer).toContain('→ completed: ');
      expect(answer).not.toContain('none of my rules matches');
    }
  },
);
