import { RunError } from '../../run/failure.ts';
import { doubtOf, pinsIn, shortPin, type Pinned, type Pins } from '../../server/compose-tools.ts';
import { dataOption, exit, jsonOption, type CliCommand } from '../command.ts';
import { visible } from '../../run/visible.ts';
import { jsonLine, visibleLine } from '../escape.ts';
import { dataOf } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

export const pins: CliCommand = {
  name: 'pins',
  usage: '[approve <server or server/tool>] [options]',
  summary: 'list the tools of MCP servers as they were seen, and approve them',
  details: [
    'A tool asks before its first call, and again when it, or the command or address of its server, has changed. What it',
    'says of itself is shown here in full, with a hash of all of it: the pin. To approve one here, or to agree to a call of',
    'it, accepts it as it is; whether its calls ask is up to the configuration.',
  ],
  options: { ...jsonOption, ...dataOption },
  words: [0, 2],
  run(given, terminal) {
    const known = pinsIn(dataOf(given));
    const [action, name] = given.words;
    if (action === undefined) return Promise.resolve(list(known, terminal, given.flag('json')));
    if (action === 'approve' && name !== undefined) return Promise.resolve(approve(known, terminal, name));
    throw new RunError('malformed', 'Say «vitrine pins», or «vitrine pins approve <server or server/tool>».');
  },
};

function list(known: Pins, terminal: Terminal, isJson: boolean): number {
  const all = [...known.all()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (all.length === 0 && !isJson) terminal.warn('No tool of an MCP server was seen here yet.');
  for (const [key, pinned] of all) {
    const doubt = doubtOf(pinned);
    if (isJson) terminal.say(jsonLine({ tool: key, ...pinned.seen, approved: doubt === undefined, doubt }));
    else for (const line of linesOf(key, pinned, doubt)) terminal.say(line);
  }
  return exit.completed;
}

function linesOf(key: string, { seen }: Pinned, doubt: string | undefined): string[] {
  const { pin, endpoint, description, schema, annotations } = seen;
  return [
    visibleLine(`${key}  ${shortPin(pin)}  ${doubt ?? 'approved'}`),
    `  server     ${visibleLine(endpoint)}`,
    ...visible(description || 'says nothing of itself')
      .split('\n')
      .map((line, i) => `  ${i === 0 ? 'says     ' : '         '}  ${line}`),
    `  arguments  ${visibleLine(JSON.stringify(schema))}`,
    ...(annotations === undefined ? [] : [`  hints      ${visibleLine(JSON.stringify(annotations))}`]),
  ];
}

function approve(known: Pins, terminal: Terminal, name: string): number {
  const meant = [...known.all()].filter(([key]) => key === name || key.startsWith(`${name}/`));
  if (meant.length === 0)
    throw new RunError('unknown', `No tool «${name}» was seen here: vitrine pins lists those that were.`);
  known.set(new Map(meant.map(([key, { seen }]) => [key, { seen, approved: seen.pin }])));
  for (const [key, { seen }] of meant)
    terminal.say(visibleLine(`${key} is approved as ${shortPin(seen.pin)}.`));
  return exit.completed;
}
