import { failureOf, RunError } from '../run/failure.ts';
import { visible } from '../run/visible.ts';
import { versionHere } from '../server/version.ts';
import { exit, type CliCommand } from './command.ts';
import { allCommands, commandNamed, commandNames } from './commands.ts';
import { helpOf, overview } from './help.ts';
import { nearest } from './nearest.ts';
import { parse } from './parse.ts';
import { isDebugging } from './data-folder.ts';
import type { Terminal } from './terminal/terminal.ts';

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
    return said(
      out,
      about === undefined || askingForHelp.includes(about)
        ? overview(await allCommands())
        : helpOf(await known(about)),
    );
  const command = await known(name);
  const given = parse(command, typed);
  return given ? command.run(given, out) : said(out, helpOf(command));
}

async function known(name: string): Promise<CliCommand> {
  const command = await commandNamed(name);
  if (!command) throw unknownCommand(name);
  return command;
}

function said(out: Terminal, text: string): number {
  out.say(text);
  return exit.completed;
}

function unknownCommand(name: string): RunError {
  const meant = nearest(name, commandNames);
  const hint = meant === undefined ? `known: ${commandNames.join(', ')}.` : `did you mean «${meant}»?`;
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
