import { existsSync } from 'node:fs';
import { failureOf, RunError } from '../../run/failure.ts';
import { parsed } from '../../run/values.ts';
import type { RunFilter } from '../../client/client.ts';
import { listRuns, type ListedRun } from '../../wire/native/runs.ts';
import { lookOptions, exit, jsonOption, tenantOption, type CliCommand, type Given } from '../command.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import { allRuns, othersIn } from '../place/find.ts';
import { render, type Line } from '../terminal/line.ts';
import { markOf, styleOf } from '../view/marks.ts';
import { lookIn, serverOf } from '../place/place.ts';
import { dataOf } from '../data-folder.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { filled, present } from '../../run/tree.ts';

const usual = 50;

export const runs: CliCommand = {
  name: 'runs',
  usage: '[options]',
  summary: 'list the runs of the folder, the newest first',
  options: {
    unfinished: { type: 'boolean', about: 'only those that have not ended' },
    app: { type: 'string', value: '<name>', about: 'only those of an app' },
    status: {
      type: 'string',
      value: '<status>',
      about: 'running, waiting, paused, completed, failed or stopped',
    },
    text: {
      type: 'string',
      value: '<words>',
      about: 'words that are all in what was asked, answered or done',
    },
    label: { type: 'string', value: '<name=value>', many: true, about: 'what its caller put on it' },
    agent: { type: 'string', value: '<name>', about: 'somebody who worked on it' },
    tool: { type: 'string', value: '<name>', about: 'a tool that was used' },
    since: {
      type: 'string',
      value: '<date>',
      about: 'begun from then on, as 2026-11-30 or 2026-11-30T12:00:00Z',
    },
    until: { type: 'string', value: '<date>', about: 'begun before then' },
    limit: {
      type: 'string',
      value: '<number>',
      about: `at most so many; ${usual} unless said, all with --json`,
    },
    ...jsonOption,
    ...tenantOption,
    ...lookOptions,
  },
  words: [0, 0],
  async run(given, terminal) {
    const { rows, others } = await foundIn(given);
    if (given.flag('json')) for (const row of rows) terminal.say(jsonLine(told(row)));
    else if (rows.length === 0) {
      const tenant = given.text('tenant');
      const whose = tenant === undefined ? '' : ` of tenant «${tenant}»`;
      const where = serverOf(given)?.url ?? dataOf(given);
      const isNarrowed = Object.keys(wantedBy(given)).length > 0;
      terminal.warn(
        visibleLine(
          isNarrowed ? `No run${whose} in ${where} fits.` : `There are no runs${whose} in ${where}.`,
        ),
      );
      if (others !== undefined) terminal.warn(visibleLine(others));
    } else table(rows, terminal);
    return exit.completed;
  },
};

interface Found {
  readonly rows: readonly ListedRun[];
  /** Who else has runs there, where these are none. */
  readonly others?: string | undefined;
}

async function foundIn(given: Given): Promise<Found> {
  const limit = limitOf(given);
  const home = await lookIn(given).catch((thrown: unknown) => {
    // Whoever names a folder means one that is there; the usual one may not have been needed yet.
    const isMissing = given.text('data') !== undefined && !existsSync(dataOf(given));
    if (failureOf(thrown).code === 'unknown' && !isMissing) return undefined;
    throw thrown;
  });
  if (!home) return { rows: [] };
  const { server, tenant } = home;
  const rows: ListedRun[] = [];
  try {
    for await (const row of allRuns(server, wantedBy(given))) {
      if (rows.length === limit) break;
      rows.push(row);
    }
    return { rows, others: rows.length === 0 ? await othersIn(server, tenant) : undefined };
  } finally {
    await home.close();
  }
}

/** What was typed, read as the server reads it. */
function wantedBy(given: Given): RunFilter {
  const texts = ['app', 'status', 'text', 'agent', 'tool', 'since', 'until'] as const;
  const typed = texts.map((name) => [name, given.text(name)]);
  const query = { ...Object.fromEntries(typed), label: filled(given.texts('label')) };
  const unfinished = given.flag('unfinished') ? 'true' : undefined;
  return parsed(listRuns.query, present({ ...query, unfinished }), 'What was asked for');
}

function limitOf(given: Given): number {
  const text = given.text('limit');
  if (text === undefined) return given.flag('json') ? Infinity : usual;
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new RunError('malformed', `--limit is «${text}»: give a whole number from 1 on.`);
}

function told({
  run,
  status,
  app,
  title,
  conversation,
  approvals,
  createdAt,
  updatedAt,
  damaged,
  stranded,
}: ListedRun): object {
  return present({
    run,
    status,
    app,
    title,
    conversation,
    approvals,
    createdAt,
    updatedAt,
    damaged,
    stranded,
  });
}

function table(rows: readonly ListedRun[], { say, warn, paint, out, isLive }: Terminal): void {
  const width = isLive ? Math.max(40, out.columns - 1) : 160;
  for (const row of rows) {
    const isDamaged = row.damaged !== undefined;
    const still = row.stranded === undefined ? (row.left ? 'left' : undefined) : 'stranded';
    const word = isDamaged ? 'damaged' : (still ?? row.status);
    const shown = isDamaged ? 'failed' : still ? 'abandoned' : row.status;
    const line: Line = [
      markOf(shown),
      [` ${row.run}  `],
      [word.padEnd(10), ...styleOf(shown)],
      [`${when(row.createdAt)}  `, 'dim'],
      [`${visibleLine(row.app)}  `, 'dim'],
      ...(isDamaged ? [[`good up to entry ${row.damaged} of ${row.seq}  `] as const] : []),
      [visibleLine(row.title)],
    ];
    say(render(line, width, paint));
  }
  // What to do about those that are stranded: once for each flow that is not there.
  for (const why of new Set(rows.flatMap(({ stranded }) => stranded ?? []))) warn(visibleLine(why));
}

function when(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
