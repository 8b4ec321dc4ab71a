import { failureOf, RunError } from '../run/failure.ts';
import { visible } from '../run/visible.ts';
import { versionHere } from '../server/version.ts';
import { exit, type CliCommand } from './command.ts';
import { apps } from './commands/apps.ts';
import { approvals } from './commands/approvals.ts';
import { approve } from './commands/approve.ts';
import { backup } from './commands/backup.ts';
import { demo } from './commands/demo.ts';
import { edit } from './commands/edit.ts';
import { erase } from './commands/erase.ts';
import { exportRun } from './commands/export.ts';
import { follow } from './commands/follow.ts';
import { keys } from './commands/keys.ts';
import { message } from './commands/message.ts';
import { pause } from './commands/pause.ts';
import { pins } from './commands/pins.ts';
import { reindex } from './commands/reindex.ts';
import { reject } from './commands/reject.ts';
import { resume } from './commands/resume.ts';
import { run } from './commands/run.ts';
import { runs } from './commands/runs.ts';
import { serve } from './commands/serve.ts';
import { show } from './commands/show.ts';
import { stop } from './commands/stop.ts';
import { trace } from './commands/trace.ts';
import { verify } from './commands/verify.ts';
import { work } from './commands/work.ts';
import { workflow } from './commands/workflow.ts';
import { workflows } from './commands/workflows.ts';
import { completionFor, shells } from './completion.ts';
import { helpOf, overview } from './help.ts';
import { nearest } from './nearest.ts';
import { parse } from './parse.ts';
import { isDebugging } from './settings.ts';
import type { Terminal } from './terminal/terminal.ts';

const commands: readonly CliCommand[] = [
  run,
  demo,
  serve,
  work,
  apps,
  runs,
  show,
  follow,
  resume,
  stop,
  pause,
  message,
  approvals,
  approve,
  reject,
  edit,
  exportRun,
  trace,
  erase,
  verify,
  backup,
  reindex,
  keys,
  pins,
  workflows,
  workflow,
  {
    name: 'completion',
    usage: shells.join('|'),
    summary: 'print what makes a shell complete commands and options',
    options: {},
    words: [1, 1],
    async run({ words: [named = ''] }, out) {
      const shell = shells.find((known) => known === named);
      if (!shell)
        throw new RunError('malformed', `There is no completion for «${named}»: ${shells.join(', ')}.`);
      return said(out, completionFor(shell, commands));
    },
  },
];

/** Do what was typed. Gives the exit code; whatever goes wrong has been told by then. */
export async function cli(typed: readonly string[], terminal: Terminal): Promise<number> {
  return perform(typed, terminal).catch((thrown: unknown) => tell(thrown, terminal));
}

const askingForVersion: readonly string[] = ['--version', '-v', 'version'];
const askingForHelp: readonly string[] = ['--help', '-h', 'help'];

async function perform([name = 'help', ...typed]: readonly string[], out: Terminal): Promise<number> {
  const [about] = typed;
  if (askingForVersion.includes(name)) return said(out, versionHere());
  if (askingForHelp.includes(name))
    return said(out, about === undefined ? overview(commands) : helpOf(commandNamed(about)));
  const command = commandNamed(name);
  const given = parse(command, typed);
  return given ? command.run(given, out) : said(out, helpOf(command));
}

function commandNamed(name: string): CliCommand {
  const command = commands.find((known) => known.name === name);
  if (!command) throw unknownCommand(name);
  return command;
}

function said(out: Terminal, text: string): number {
  out.say(text);
  return exit.completed;
}

function unknownCommand(name: string): RunError {
  const names = commands.map((known) => known.name);
  const meant = nearest(name, names);
  const hint = meant === undefined ? `known: ${names.join(', ')}.` : `did you mean «${meant}»?`;
  return new RunError('malformed', `vitrine has no command «${name}»: ${hint}`);
}

/** An expected failure is its one sentence; what is behind it is for those who ask. */
function tell(thrown: unknown, { warn }: Terminal): number {
  const { code: kind, message: sentence } = failureOf(thrown);
  warn(visible(sentence));
  if (isDebugging) warn(causes(thrown));
  else if (!(thrown instanceof RunError)) warn('VITRINE_DEBUG=1 shows what is behind it.');
  return kind === 'malformed' || kind === 'unknown' ? exit.badInput : exit.failed;
}

function causes(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const behind = thrown.cause === undefined ? '' : `\ncaused by ${causes(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${behind}`;
}
