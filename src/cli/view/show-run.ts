import { isBlobRef, type BlobRef } from '../../run/values.ts';
import { keptText } from '../place/find.ts';
import type { Reached, TerminalHome } from '../place/terminal-home.ts';
import { askedIn, exit, type Given } from '../command.ts';
import { visible } from '../../run/visible.ts';
import { hint, waitingHint } from '../hint.ts';
import { visibleLine } from '../terminal/escape.ts';
import { jsonView } from './json-view.ts';
import { leaveWhenTold, type Leaving } from '../terminal/leave.ts';
import { render, unpainted } from '../terminal/line.ts';
import { liveView } from './live-view.ts';
import { plainView } from './plain-view.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { View } from './view.ts';
import { watch, type Watched } from './watch.ts';
import { columnsIn } from '../terminal/width.ts';

export interface Showing {
  readonly run: string;
  /** Entries up to here have been seen before. */
  readonly after?: number;
}

export interface Shown {
  readonly code: number;
  /** The last entry that was seen. */
  readonly seq: number;
  /** Whoever worked on it for us is gone: it must be taken up by another. */
  readonly isOrphaned: boolean;
}

/** Show a run until there is nothing more to see here, and say how it stands. */
export async function showRun(
  home: TerminalHome,
  { run, after = 0 }: Showing,
  { given, terminal }: Where,
): Promise<Shown> {
  const asked = askedIn(given);
  const leaving = leaveWhenTold();
  const yes = given.flag('yes');
  try {
    const view = viewOf(terminal, given, { run, after, signal: leaving.signal, home });
    const watched = await watch(home, run, { view, asked, yes });
    const isOrphaned = watched.is === 'left' && !home.isHolder;
    if (!isOrphaned) await tell(home, run, { watched, given, terminal });
    if (watched.is !== 'interrupted') await finishOthers(home, terminal, leaving);
    return { code: codeOf(watched), seq: watched.tree.seq, isOrphaned };
  } finally {
    leaving.done();
  }
}

export interface Where {
  readonly given: Given;
  readonly terminal: Terminal;
}

interface Viewing extends Showing {
  readonly signal: AbortSignal;
  readonly home?: TerminalHome;
}

export function viewOf(terminal: Terminal, given: Given, viewing: Viewing): View {
  if (given.flag('json')) return jsonView(terminal, viewing.signal);
  return terminal.isLive ? liveView(terminal, viewing) : plainView(terminal, viewing);
}

type Told = Where & { readonly watched: Watched };

async function tell(home: TerminalHome, run: string, { watched, given, terminal }: Told): Promise<void> {
  const { is, tree, why } = watched;
  switch (is) {
    case 'ended':
      if (!given.flag('json')) await tellAnswer(home, { tree }, terminal);
      if (tree.ended?.failure?.code === 'internal')
        terminal.warn('The log in the data folder has the details.');
      return;
    case 'waiting':
      for (const line of waitingHint(given, run, tree)) terminal.warn(line);
      return;
    case 'left':
      terminal.warn(why ?? `Nobody works on run ${run} any more.`);
      terminal.warn(`Nothing is lost. Go on with: ${hint(given, 'resume')}`);
      return;
    case 'damaged':
      return terminal.warn(why ?? `Run ${run} is damaged.`);
    case 'interrupted':
      if (!home.isHolder) terminal.warn(`Run ${run} goes on in the process that holds the folder.`);
      else terminal.warn(`Left run ${run} as it is. Go on with: ${hint(given, 'resume')}`);
  }
}

/** The answer is the last thing that is written, as it is, but for what would act on the terminal. */
export async function tellAnswer(
  home: Pick<Reached, 'server' | 'clean'>,
  { tree }: Pick<Watched, 'tree'>,
  terminal: Terminal,
): Promise<void> {
  const { answer, outcome } = tree.ended ?? {};
  if (outcome === 'stopped') terminal.warn(stoppedBy(tree));
  else if (answer === undefined) terminal.warn('There is no answer.');
  if (answer === undefined) return;
  const shown = visible(isBlobRef(answer) ? await wholeOf(home, answer) : answer);
  terminal.say();
  terminal.say(terminal.isLive ? await drawn(home, shown, terminal) : shown);
}

function stoppedBy({ stop }: Watched['tree']): string {
  if (!stop) return 'Stopped.';
  const why = stop.reason === undefined ? '.' : `: ${stop.reason}`;
  return visibleLine(`Stopped by ${stop.by}${why}`);
}

/**
 * In front of a person the answer is drawn as the Markdown it mostly is. Without its marks two halves may come to stand
 * side by side and be a secret: such an answer is shown as it was written.
 */
async function drawn(
  { clean }: Pick<Reached, 'clean'>,
  text: string,
  { out, paint }: Terminal,
): Promise<string> {
  // Whoever pipes the answer elsewhere, or has none yet, does not wait for the parser.
  const { markdownLines } = await import('./markdown.ts');
  const width = columnsIn(out);
  const lines = markdownLines(text, width);
  const read = lines.map((line) => render(line, Infinity, unpainted)).join('\n');
  return clean(read) === read ? lines.map((line) => render(line, width, paint)).join('\n') : text;
}

async function wholeOf({ server }: Pick<Reached, 'server'>, { blob }: BlobRef): Promise<string> {
  const text = await keptText(server, blob);
  const value: unknown = text === undefined ? `It is kept as ${blob}, which is not there.` : JSON.parse(text);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Other terminals may have asked for runs of their own; what was begun here is not dropped half done. */
async function finishOthers(home: TerminalHome, terminal: Terminal, { signal }: Leaving): Promise<void> {
  if (home.inHand().length === 0) return;
  terminal.warn(`Still working on ${home.inHand().join(', ')} for another terminal; Ctrl-C leaves.`);
  const left = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  if (!signal.aborted) await Promise.race([home.idle(), left]);
}

function codeOf({ is, tree }: Watched): number {
  if (is === 'waiting') return exit.waiting;
  if (is === 'left' || is === 'damaged') return exit.failed;
  if (is === 'interrupted') return exit.stopped;
  const outcome = tree.ended?.outcome;
  return outcome === 'completed' ? exit.completed : outcome === 'stopped' ? exit.stopped : exit.failed;
}
