// What the demo's application documents, asked as its document says.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { demoWorld, loadConfig } from '../../src/server/compose/config.ts';
import { decideOn, serving, temporaryFolder, textAt, untilAnswer, type Serving } from '../serving.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function documented(): ReadonlyMap<string, readonly string[]> {
  const guide = readFileSync(new URL('../../docs/demo.md', import.meta.url), 'utf8');
  const [, section = ''] = guide.split('## An application: the network desk');
  const [own = ''] = section.split('\n## ');
  const rows = own.split('\n').filter((line) => /^\| \w+ +\| `/.test(line));
  return new Map(
    rows.map((row) => {
      const [, what = '', asked = ''] = row.split('|');
      return [what.trim(), [...asked.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)];
    }),
  );
}

async function ask(at: Serving, text: string, conversation: string): Promise<FlatTree> {
  const json = { app: 'network-desk', input: { text }, conversation };
  const run = textAt(await at.ask('/api/runs', { json }), 'run');
  for (;;) {
    const { json: told } = await untilAnswer(
      () => at.ask(`/api/runs/${run}`),
      (one) => /completed|failed|waiting/.test(textAt(one, 'status')),
    );
    const tree = told as FlatTree;
    if (tree.status !== 'waiting') return tree;
    const open = (tree.approvals ?? []).filter(({ decision }) => decision === undefined);
    for (const { id } of open) await decideOn(at, id);
  }
}

function stagesIn({ steps }: FlatTree): Record<string, string> {
  const own = steps.filter(({ parent, kind }) => parent === 0 && kind === 'stage');
  return Object.fromEntries(own.map(({ title, status }) => [title, status]));
}

test('[PL50] the application of the demo does what its document says', async () => {
  const data = temporaryFolder();
  const { config } = await loadConfig({ folder: root, data, pace: 0 }, demoWorld);
  const at = await serving({ data, config });
  try {
    const all = documented();
    const answers = new Map<string, FlatTree[]>();
    for (const [what, questions] of all)
      for (const question of questions)
        answers.set(what, [...(answers.get(what) ?? []), await ask(at, question, what)]);
    const [first] = answers.get('citations') ?? [];
    expect(first?.answer).toContain('[1] RB-001 Fibre cut');
    const [blocked] = answers.get('blocked') ?? [];
    expect(blocked?.answer).toContain('blocked by safety filters');
    expect(Object.values(stagesIn(blocked as FlatTree))).toEqual(['completed', ...Array(5).fill('skipped')]);
    const [question, understood] = answers.get('clarification') ?? [];
    expect(question?.answer).toContain('Which link do you mean?');
    expect(understood?.answer).toContain('LINK-SYD-MEL-FIBRE-01');
    const [fallback] = answers.get('fallback') ?? [];
    expect(fallback?.answer).toContain('I can help you with: Telemetry (agent)');
    const [approved] = answers.get('approval') ?? [];
    expect(approved?.approvals).toHaveLength(1);
    expect(stagesIn(approved as FlatTree)['Executing skills']).toBe('completed');
    const [redacted] = answers.get('redacted') ?? [];
    const { input: _, ...rest } = redacted as FlatTree & { readonly input?: unknown };
    expect(JSON.stringify(rest.steps)).not.toContain('ada.king@example.com');
    expect(rest.answer).toContain('tickets');
    const [surveyed] = answers.get('survey') ?? [];
    expect(surveyed?.answer).toMatch(/After a second look:\n\| telemetry \| paths \|/);
    expect(surveyed?.steps.filter(({ kind }) => kind === 'branch').map(({ title }) => title)).toContain(
      'Item 5',
    );
    const [posted] = answers.get('notice') ?? [];
    expect(posted?.approvals).toMatchObject([{ title: 'Post this?', decision: 'approve' }]);
    expect(posted?.answer).toMatch(/Posted as NB-\d+: Work on LINK-SYD-MEL-FIBRE-01, Sunday/);
  } finally {
    await at.close();
  }
});
