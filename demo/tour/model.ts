import type { scriptedGateway, Turn } from '../../src/index.ts';

type Play = Extract<Parameters<typeof scriptedGateway>[0], (turn: Turn) => unknown>;
type Move = ReturnType<Play>[number];

/** Milliseconds a scripted model takes for a word at pace 1. */
const word = 32;

/** The models of the tour. They are scripts, not models, and what they say does not hide it. */
export function tourScript(role: 'planner' | 'analyst' | 'writer', pace: number): Play {
  const speak = { planner, analyst, writer }[role];
  return (turn) => speak(lastText(turn), pace);
}

function planner(request: string, pace: number): Move[] {
  return [
    ...spoken('A window needs a quiet hour, a reservation, and people who know.', pace, 'reasoning'),
    ...spoken(
      `I am a scripted model: whatever is asked («${shorten(request)}»), I plan a maintenance window for orders-db. ` +
        'I look at its load and at the people who use it at the same time, reserve the window, and ask you before anybody is told.',
      pace,
    ),
  ];
}

function analyst(_: string, pace: number): Move[] {
  return [
    ...spoken('The load is lowest on Sunday, between three and five in the morning.', pace, 'reasoning'),
    ...spoken('The quietest two hours of the week are Sun 03:00–05:00, with 4 % of the usual load.', pace),
    usage(180, 24),
  ];
}

function writer(text: string, pace: number): Move[] {
  const { window, reserved, told } = JSON.parse(text) as Record<string, unknown>;
  const answer =
    `The maintenance of orders-db is planned for ${String(window)}, its quietest two hours of the week. ` +
    `${reserved === null ? 'The window could not be reserved' : `The window is reserved (${reference(reserved)})`}; ` +
    `${String(told).replace(/\.$/, '')}. ` +
    'This was the tour of the demo: every tool ran, the model was a script. Configure an app to put a real one in its place.';
  return [...spoken(answer, pace), usage(240, 70)];
}

function reference(reserved: unknown): string {
  const isNamed = typeof reserved === 'object' && reserved !== null && 'reservation' in reserved;
  return isNamed ? String(reserved.reservation) : 'no number';
}

function spoken(text: string, pace: number, channel: 'content' | 'reasoning' = 'content'): Move[] {
  return text
    .split(/(?<= )/)
    .flatMap((piece): Move[] => [
      { type: 'say', text: piece, channel },
      ...(pace > 0 ? [{ type: 'wait', ms: word * pace } as const] : []),
    ]);
}

function usage(input: number, output: number): Move {
  return { type: 'usage.reported', usage: { input, output } };
}

function lastText({ messages }: Turn): string {
  return messages.at(-1)?.text ?? '';
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 60).toWellFormed()}…` : line;
}
