import type { TurnRequest, TurnResult, Exchange, Scope } from '../engine/scope.ts';
import type { Attachment } from '../run/values.ts';
import type { SettledCall } from './converse/calls.ts';
import { resultBox, resultBody } from './converse/words.ts';
import type { CoordinateSettings } from './coordinate/settings.ts';
import { filled } from '../run/tree.ts';
import { lineBelow, linesBelow, unfinished, wordsFor, type Unfinished } from '../run/unfinished.ts';

type Message = TurnRequest['messages'][number];

export interface Said {
  readonly text: string;
  readonly attachments?: readonly Attachment[] | undefined;
}

/** What the model is sent, as it grows. The two protocols differ in nothing else. */
export interface Transcript {
  hear(said: Said): void;
  /** What the model said and asked for. */
  turned(turn: TurnResult): void;
  settled(calls: readonly SettledCall[], notices: readonly string[]): void;
  /** An answer after which the conversation went on. */
  answered(text: string): void;
  messages(instructions: readonly string[]): readonly Message[];
}

/** Boxes beyond these would tell the model nothing new, and a batch may have thousands. */
const mostBoxes = 32;

/** Every call of the model is a fresh one: results are boxes at system level, and its own earlier words are left out. */
export function twoStageExchange(system: string): Transcript {
  return exchange(system, {
    turned: () => [],
    settled(calls) {
      const boxes = calls.filter(({ outcome }) => outcome !== 'left' && outcome !== 'refused');
      return boxes.slice(0, mostBoxes).map((call) => ({ role: 'system', text: resultBox(call) }));
    },
  });
}

/** One growing exchange: calls are the assistant's, and every one of them is answered by a tool message. */
export function unifiedExchange(system: string): Transcript {
  return exchange(system, {
    turned: ({ text, calls }) => [{ role: 'assistant', text, calls }],
    settled: (calls) => calls.map((call) => ({ role: 'tool', call: call.id, text: resultBody(call) })),
  });
}

/** How a protocol tells the model what it did. */
interface Telling {
  turned(turn: TurnResult): readonly Message[];
  settled(calls: readonly SettledCall[]): readonly Message[];
}

function exchange(system: string, telling: Telling): Transcript {
  let past: readonly Message[] = [];
  const add = (more: readonly Message[]): void => void (past = [...past, ...more]);
  const told = (text: string): Message => ({ role: 'system', text });
  return {
    hear: (said) => add([userMessage(said)]),
    turned: (turn) => add(telling.turned(turn)),
    settled: (calls, notices) =>
      add([...telling.settled(calls), ...notices.map((notice) => told(`NOTICE: ${notice}`))]),
    answered: (text) => add([{ role: 'assistant', text }]),
    messages: (instructions) => [told(system), ...past, ...instructions.map(told)],
  };
}

function userMessage({ text, attachments }: Said): Message {
  return { role: 'user', text, attachments: attachments && filled(attachments) };
}

const defaultExchanges = 8;
const defaultCharacters = 24_000;

type Bounds = Pick<CoordinateSettings, 'exchanges' | 'characters'>;

/** The newest exchanges that fit. */
export function bounded(
  history: readonly Exchange[],
  { exchanges = defaultExchanges, characters = defaultCharacters }: Bounds,
): readonly Exchange[] {
  const kept: Exchange[] = [];
  let size = 0;
  for (const exchange of history.toReversed()) {
    size += exchange.text.length + exchange.answer.length;
    if (kept.length >= exchanges || size > characters) break;
    kept.unshift(exchange);
  }
  return kept;
}

/** The same, and what was left out is said. */
export function boundedAloud(
  scope: Scope,
  history: readonly Exchange[],
  bounds: Bounds,
): readonly Exchange[] {
  const kept = bounded(history, bounds);
  const left = history.length - kept.length;
  if (left > 0)
    scope.notice(
      'HISTORY_BOUNDED',
      `${left} earlier exchanges were left out; the last ${kept.length} were sent.`,
    );
  return kept;
}

type Ended = Pick<TurnResult, 'finish'>;

/** What ended an answer that did not end by itself, as the end of a sentence that begins with «it». */
export function whatEnded({ finish }: Ended): string | undefined {
  const how = endedBy(finish);
  return how && wordsFor(how);
}

/** An answer as people get it: that it is not whole stands below it, once, also where somebody before us said so. */
export function wholeOrMarked(answer: string, { finish }: Ended): string {
  const how = endedBy(finish);
  if (how === undefined || linesBelow.some((line) => answer.endsWith(line))) return answer;
  return `${answer}${lineBelow(how)}`;
}

/** Nearly all of them end by themselves. */
function endedBy(finish: TurnResult['finish']): Unfinished | undefined {
  return finish === 'stop' ? undefined : unfinished(finish);
}
