import { undecidedApprovals, type Approval } from '../../run/tree.ts';
import { failureOf } from '../../run/failure.ts';
import { damageOf } from '../../front/good-chunks.ts';
import type { ServerAddress } from '../../client/ask.ts';
import type { Reached } from '../place/terminal-home.ts';
import { lookOptions, exit, jsonOption, tenantOption, type CliCommand, type Given } from '../command.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import { allRuns, othersIn, treeOf } from '../place/find.ts';
import { hint } from '../hint.ts';
import { lookIn } from '../place/place.ts';
import { tellQuestion, type ToldQuestion } from '../question/tell-question.ts';
import { wholeQuestion, type WholeQuestion } from '../question/whole-question.ts';

interface Asked extends ToldQuestion {
  readonly run: string;
}

export const approvals: CliCommand = {
  name: 'approvals',
  usage: '[options]',
  summary: 'list what waits for a person, with exactly what would run',
  options: { ...jsonOption, ...tenantOption, ...lookOptions },
  words: [0, 0],
  async run(given, terminal) {
    const { asked, others } = await readApprovals(given);
    for (const { run, approval, title, whole } of asked) {
      const { value, ...seen } = whole;
      if (given.flag('json')) terminal.say(jsonLine({ ...approval, ...seen, arguments: value, run }));
      else tellQuestion({ approval, whole, title }, terminal);
    }
    if (given.flag('json')) return exit.completed;
    if (asked.length === 0)
      terminal.warn(visibleLine(['Nothing waits for a person.', others].filter(Boolean).join(' ')));
    else terminal.warn(`Answer with ${hint(given, 'approve|reject|edit', '<approval>')}`);
    return exit.completed;
  },
};

interface Found {
  readonly asked: readonly Asked[];
  /** Who else has runs there, where nothing of these waits. */
  readonly others?: string | undefined;
}

async function readApprovals(given: Given): Promise<Found> {
  let home: Reached;
  try {
    home = await lookIn(given);
  } catch (thrown) {
    if (failureOf(thrown).code === 'unknown') return { asked: [] };
    throw thrown;
  }
  const asked: Asked[] = [];
  const { server, tenant } = home;
  try {
    for await (const { run, title, seq: head, status, damaged = null } of allRuns(server, {
      waiting: true,
    })) {
      const tree = await treeOf(server, run);
      // What was asked may have been answered where nobody can read it any more.
      if (damageOf({ head, status, damaged }, tree)) continue;
      for (const approval of undecidedApprovals(tree))
        asked.push({ run, title, approval, whole: await readable(server, approval) });
    }
    return { asked, others: asked.length === 0 ? await othersIn(server, tenant) : undefined };
  } finally {
    await home.close();
  }
}

/** What cannot be read must not hide the rest; to approve it is refused. */
async function readable(server: ServerAddress, approval: Approval): Promise<WholeQuestion> {
  return wholeQuestion(server, approval).catch((thrown: unknown) => ({ value: failureOf(thrown).message }));
}
