import { RunError } from '../../run/failure.ts';
import { readAs } from '../../run/values.ts';
import { askFor } from '../../client/ask.ts';
import { traceOf, type TraceEvent } from '../../server/compose/trace.ts';
import { searchTrace } from '../../server/two-stage/trace-routes.ts';
import { TraceFilter } from '../../wire/trace.ts';
import { exit, jsonOption, lookOptions, type CliCommand, type Given } from '../command.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import { count } from '../view/item-lines.ts';
import { entriesOf, findRun, keptText } from '../place/find.ts';
import { lookIn } from '../place/place.ts';
import type { Reached } from '../place/terminal-home.ts';

const most = 1_000;

export const trace: CliCommand = {
  name: 'trace',
  usage: '[<run>] [options]',
  summary: 'show what happened in a run or a project, event by event, and what each model call was sent',
  details: [
    'The newest thousand events that fit, oldest first: messages, model calls and answers, tools, blocked duplicates,',
    'phases, questions, pause and stop. With --json each is a line, and model calls have their prompts.',
    'Without a run, name a project: the runs that have it as their label «projectId», or as their app, from the newest on.',
  ],
  options: {
    type: { type: 'string', value: '<type>', about: 'only events of this type, such as tool_call' },
    source: {
      type: 'string',
      value: '<source>',
      about: 'only what comes from user, orion (models and agents), tool or system',
    },
    project: { type: 'string', value: '<project>', about: 'of a project, instead of one run' },
    request: { type: 'string', value: '<request>', about: 'only of this request of the project' },
    text: { type: 'string', value: '<text>', about: 'only events that say this' },
    since: { type: 'string', value: '<time>', about: 'only from then on, such as 2026-11-17T08:00:00Z' },
    until: { type: 'string', value: '<time>', about: 'only before then' },
    ...jsonOption,
    ...lookOptions,
  },
  words: [0, 1],
  async run(given, terminal) {
    const filter = filterIn(given);
    const home = await lookIn(given);
    try {
      for (const event of await tracedBy(home, given, filter))
        terminal.say(given.flag('json') ? jsonLine(event) : lineOf(event));
      return exit.completed;
    } finally {
      await home.close();
    }
  },
};

async function tracedBy(home: Reached, given: Given, filter: Filter): Promise<readonly TraceEvent[]> {
  const projectId = given.text('project');
  const [named] = given.words;
  const { server } = home;
  if (projectId !== undefined && named === undefined)
    return (await askFor(server, searchTrace, { query: { ...filter, projectId } })).events;
  if (named === undefined || projectId !== undefined)
    throw new RunError('malformed', 'Name a run, or a project with --project, and not both.');
  const { run } = await findRun(home, named);
  const load = (blob: string): Promise<string | undefined> => keptText(server, blob);
  return traceOf({ run, entries: await entriesOf(server, run), load }, filter);
}

type Filter = Omit<TraceFilter, 'projectId'>;

function filterIn(given: Given): Filter {
  const asked = {
    type: given.text('type'),
    source: given.text('source'),
    requestId: given.text('request'),
    text: given.text('text'),
    since: given.text('since'),
    until: given.text('until'),
    limit: most,
  };
  const read = readAs(TraceFilter.omit({ projectId: true }), asked);
  if (read.fits) return read.value;
  const [{ path, message }] = read.wrong;
  throw new RunError('malformed', `--${path.join('.')}: ${message}.`);
}

function lineOf({ timestamp, type, summary, details }: TraceEvent): string {
  const time = timestamp.slice(11, 23);
  const sent = Array.isArray(details['messages']) ? ` · ${count(details['messages'].length, 'message')}` : '';
  return visibleLine(`${time}  ${type.padEnd(25)}  ${summary}${sent}`);
}
