import { emptyTree, type RunTree } from '../../run/tree.ts';
import type { TerminalHome } from '../place/terminal-home.ts';
import { drawTree } from './draw.ts';
import { keyboardOf } from '../terminal/keyboard.ts';
import { render, type Line, type Paint } from '../terminal/line.ts';
import { Person, type Place } from '../question/person.ts';
import { openScreen, type Screen } from '../terminal/screen.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { View } from './view.ts';

/** Milliseconds between two frames: about twelve in a second. */
const pace = 80;

export interface LiveOptions {
  readonly run: string;
  /** Where answers go. Without it one can only look. */
  readonly home?: TerminalHome;
  /** Aborts when something other than a key ends the watching. */
  readonly signal: AbortSignal;
}

/** A run as a tree that is drawn over and over, and the person in front of it. */
export function liveView(terminal: Terminal, { run, home, signal }: LiveOptions): View {
  const { out, input, paint } = terminal;
  const screen = openScreen(out);
  let tree: RunTree = emptyTree();
  let frame = 0;
  const place: Place = {
    aside: (work) => keyboard.aside(work),
    print: (lines) => screen.print(lines(screen.width).map((line) => render(line, screen.width, paint))),
  };
  const person = home && input.isTTY ? new Person(home, run, place) : undefined;
  const draw = (): void => {
    frame += 1;
    const hint: Line = [[hintOf(run, tree, person === undefined), 'dim']];
    const below = [...(person?.lines(tree, screen.width) ?? []), hint];
    if (tree.seq > 0) screen.draw(frameLines({ tree, frame, screen, paint, below }));
  };
  const left = new AbortController();
  const keyboard = keyboardOf(input, (key) => {
    if (key.ctrl && key.name === 'z')
      screen.hide(() => keyboard.aside(() => process.kill(process.pid, 'SIGTSTP')));
    else if (person) person.press(key, tree);
    else if (key.text === 'q' || (key.ctrl && key.name === 'c')) left.abort();
    draw();
  });
  const timer = setInterval(draw, pace);
  return {
    signal: AbortSignal.any([signal, left.signal, ...(person ? [person.signal] : [])]),
    show: (_, folded) => void (tree = folded),
    isWatched: true,
    expects: (approval) => person?.expects(approval) ?? false,
    close({ is, tree: last }) {
      clearInterval(timer);
      keyboard.close();
      screen.close(
        drawTree(last, { width: screen.width, now: is === 'ended' ? last.at : Date.now(), paint }),
      );
    },
  };
}

interface Frame {
  readonly tree: RunTree;
  readonly frame: number;
  readonly screen: Screen;
  readonly paint: Paint;
  readonly below: readonly Line[];
}

function frameLines({ tree, frame, screen, paint, below }: Frame): string[] {
  const { width, height } = screen;
  const room = Math.max(3, height - below.length - 1);
  // Where nothing is under way, nothing turns.
  const turning = tree.paused && tree.working === 0 ? {} : { frame };
  const lines = drawTree(tree, { width, height: room, now: Date.now(), ...turning, paint });
  const under = below.map((line) => render(line, width, paint));
  return [...lines, '', ...under].slice(-height);
}

function hintOf(run: string, tree: RunTree, isGuest: boolean): string {
  if (isGuest) return `${run} · Ctrl-C leaves, the run goes on`;
  if (tree.stopping) return `${run} · stopping`;
  return `${run} · Ctrl-C to stop, ${tree.paused ? 'resume' : 'pause'} or leave`;
}
