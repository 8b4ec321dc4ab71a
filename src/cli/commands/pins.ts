import { RunError } from '../../run/failure.ts';
import { doubtOf, shortPin, type Accepted, type Pinned } from '../../server/compose/tools.ts';
import { approvePins, pinsIn } from '../../server/compose/store-pins.ts';
import { changeSharedIn, readShared } from '../../server/compose/shared-in.ts';
import { localTenant } from '../../server/folder/home.ts';
import { dataOption, exit, jsonOption, type CliCommand } from '../command.ts';
import { visible } from '../../run/visible.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import { dataOf } from '../data-folder.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { present } from '../../run/tree.ts';

export const pins: CliCommand = {
  name: 'pins',
  usage: '[approve <server or server/tool>] [options]',
  summary: 'list the tools of MCP servers as they were seen, and approve them',
  details: [
    'A tool asks before its first call, and again when it, or the command or address of its server, has changed. What it',
    'says of itself is shown here in full, with a hash of all of it: the pin. To approve one here accepts it as it is for',
    'everybody; to agree to a call of it, for the tenant of that run, in apps whose «approvals» want no more than that one',
    'does. Whether its calls ask is up to the configuration.',
  ],
  options: { ...jsonOption, ...dataOption },
  words: [0, 2],
  async run(given, terminal) {
    const folder = dataOf(given);
    const tell = (line: string): void => terminal.warn(line);
    const [action, name] = given.words;
    if (action === undefined) {
      const known = await readShared(folder, tell, (shared) => pinsIn(shared, folder));
      return list(known, terminal, given.flag('json'));
    }
    if (action === 'approve' && name !== undefined) {
      const approved = await changeSharedIn(folder, tell, (shared) => approvePins(shared, name));
      for (const [key, pin] of approved) terminal.say(visibleLine(`${key} is approved as ${shortPin(pin)}.`));
      return exit.completed;
    }
    throw new RunError('malformed', 'Say «vitrine pins», or «vitrine pins approve <server or server/tool>».');
  },
};

function list(known: ReadonlyMap<string, Pinned>, terminal: Terminal, isJson: boolean): number {
  const all = [...known].toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (all.length === 0 && !isJson) terminal.warn('No tool of an MCP server was seen here yet.');
  for (const [key, pinned] of all) {
    const doubt = doubtOf(pinned, { tenant: localTenant });
    const accepted = acceptedAsSeen(pinned);
    if (isJson)
      terminal.say(jsonLine({ tool: key, ...pinned.seen, approved: doubt === undefined, doubt, accepted }));
    else for (const line of linesOf(key, pinned, doubt)) terminal.say(line);
  }
  return exit.completed;
}

/** Where people agreed to a call of it as it is now, with who decides there. */
function acceptedAsSeen({ seen, accepted = [] }: Pinned): readonly Omit<Accepted, 'pin'>[] {
  return accepted
    .filter(({ pin }) => pin === seen.pin)
    .map(({ tenant, approvals }) => ({ tenant, ...present({ approvals }) }));
}

function linesOf(key: string, pinned: Pinned, doubt: string | undefined): string[] {
  const { seen } = pinned;
  const accepted = acceptedAsSeen(pinned).map(({ tenant, approvals }) =>
    approvals === undefined ? tenant : `${tenant} (${approvals})`,
  );
  const { pin, endpoint, description, schema, annotations } = seen;
  return [
    visibleLine(`${key}  ${shortPin(pin)}  ${doubt ?? 'approved'}`),
    `  server     ${visibleLine(endpoint)}`,
    ...visible(description || 'says nothing of itself')
      .split('\n')
      .map((line, i) => `  ${i === 0 ? 'says     ' : '         '}  ${line}`),
    `  arguments  ${visibleLine(JSON.stringify(schema))}`,
    ...(annotations === undefined ? [] : [`  hints      ${visibleLine(JSON.stringify(annotations))}`]),
    ...(accepted.length === 0 ? [] : [`  accepted   in ${visibleLine(accepted.join(', '))}`]),
  ];
}
