import { undecidedApprovals, type Approval } from '../../run/tree.ts';
import { failureOf } from '../../run/failure.ts';
import { isBlobRef, type Json } from '../../run/values.ts';
import { damagedAt } from '../../server/good-chunks.ts';
import { localTenant, type HomeReader } from '../../server/home.ts';
import { lookOptions, exit, jsonOption, type CliCommand, type Given } from '../command.ts';
import { jsonLine, visible, visibleLine } from '../escape.ts';
import { allRuns, treeOf } from '../find.ts';
import { hint } from '../hint.ts';
import { render, unpainted } from '../line.ts';
import { argumentLines } from '../question.ts';
import { lookIn } from '../place.ts';
import type { Terminal } from '../terminal.ts';

interface Asked {
  readonly run: string;
  readonly title: string;
  readonly approval: Approval;
}

export const approvals: CliCommand = {
  name: 'approvals',
  usage: '[options]',
  summary: 'list what waits for a person, with exactly what would run',
  options: { ...jsonOption, ...lookOptions },
  words: [0, 0],
  async run(given, terminal) {
    const asked = await readApprovals(given);
    for (const { run, approval, title } of asked) {
      if (given.flag('json')) terminal.say(jsonLine({ ...approval, run }));
      else tell({ run, approval, title }, terminal);
    }
    if (given.flag('json')) return exit.completed;
    if (asked.length === 0) terminal.warn('Nothing waits for a person.');
    else terminal.warn(`Answer with ${hint(given, 'approve|reject|edit', '<approval>')}`);
    return exit.completed;
  },
};

async function readApprovals(given: Given): Promise<readonly Asked[]> {
  let home: HomeReader;
  try {
    home = await lookIn(given);
  } catch (thrown) {
    if (failureOf(thrown).code === 'unknown') return [];
    throw thrown;
  }
  const asked: Asked[] = [];
  try {
    for await (const { run, title, head } of allRuns(home, { withApprovals: true })) {
      const tree = await treeOf(home, run);
      // What was asked may have been answered where nobody can read it any more.
      if (damagedAt(tree, head) !== undefined) continue;
      for (const approval of undecidedApprovals(tree))
        asked.push({ run, title, approval: await whole(home, approval) });
    }
    return asked;
  } finally {
    await home.close();
  }
}

/** What is too large for the journal is fetched: a person must see all of what they agree to. */
async function whole(home: HomeReader, approval: Approval): Promise<Approval> {
  const { arguments: given } = approval;
  const text = isBlobRef(given) ? await home.blobs.get(localTenant, given.blob) : undefined;
  return text === undefined ? approval : { ...approval, arguments: JSON.parse(text) as Json };
}

function tell({ approval, title }: Asked, terminal: Terminal): void {
  const paint = terminal.isLive ? terminal.paint : unpainted;
  const width = terminal.isLive ? Math.max(40, terminal.out.columns - 1) : 120;
  const about = approval.message === undefined ? [] : visible(approval.message).split('\n');
  const head = [`◆ ${approval.approval}`, visibleLine(approval.title), `(${visibleLine(title)})`].join('  ');
  terminal.say(paint(head, ['bold']));
  for (const line of about) terminal.say(`  ${line}`);
  for (const line of argumentLines(approval.arguments, width, Infinity))
    terminal.say(render(line, width, paint));
}
