import { RunError } from '../../run/failure.ts';
import { traceOf, type TraceEvent } from '../../server/compose/trace.ts';
import { TraceFilter } from '../../wire/trace.ts';
import { exit, jsonOption, lookOptions, type CliCommand, type Given } from '../command.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import { findRun } from '../place/find.ts';
import { lookIn } from '../place/place.ts';

const most = 1_000;

export const trace: CliCommand = {
  name: 'trace',
  usage: '<run> [options]',
  summary: 'show what happened in a run, event by event, and what each model call was sent',
  details: [
    'The newest thousand events that fit, oldest first: messages, model calls and answers, tools, blocked duplicates,',
    'phases, questions, pause and stop. With --json each is a line, and model calls have their prompts.',
  ],
  options: {
    type: { type: 'string', value: '<type>', about: 'only events of this type, such as tool_call' },
    source: {
      type: 'string',
      value: '<source>',
      about: 'only what comes from user, orion (models and agents), tool or system',
    },
    ...jsonOption,
    ...lookOptions,
  },
  words: [1, 1],
  async run(given, terminal) {
    const filter = filterIn(given);
    const home = await lookIn(given);
    try {
      const row = await findRun(home, given.words[0] ?? '');
      const { events } = await traceOf(home, row, filter);
      for (const event of events) terminal.say(given.flag('json') ? jsonLine(event) : lineOf(event));
      return exit.completed;
    } finally {
      await home.close();
    }
  },
};

function filterIn(given: Given): Omit<TraceFilter, 'projectId'> {
  const asked = { type: given.text('type'), source: given.text('source'), limit: most };
  const read = TraceFilter.omit({ projectId: true }).safeParse(asked);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new RunError(
    'malformed',
    `--${issue?.path.join('.') ?? 'type'}: ${issue?.message ?? 'it is wrong'}.`,
  );
}

function lineOf({ timestamp, type, summary, details }: TraceEvent): string {
  const time = timestamp.slice(11, 23);
  const sent = Array.isArray(details['messages']) ? ` · ${details['messages'].length} messages` : '';
  return visibleLine(`${time}  ${type.padEnd(25)}  ${summary}${sent}`);
}
