import { filled } from '../../run/present.ts';
import type { TurnRequest, TurnResult } from '../../engine/scope.ts';
import type { Attachment } from '../../run/values.ts';
import type { SettledCall } from './calls.ts';
import { resultBody, resultBox } from './words.ts';

type Message = TurnRequest['messages'][number];

export interface Said {
  readonly text: string;
  readonly attachments?: readonly Attachment[] | undefined;
}

/** What the model is sent, as it grows. The two protocols differ in nothing else. */
export interface Exchange {
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
export function twoStageExchange(system: string): Exchange {
  return exchange(system, {
    turned: () => [],
    settled(calls) {
      const boxes = calls.filter(({ outcome }) => outcome !== 'left' && outcome !== 'refused');
      return boxes.slice(0, mostBoxes).map((call) => ({ role: 'system', text: resultBox(call) }));
    },
  });
}

/** One growing exchange: calls are the assistant's, and every one of them is answered by a tool message. */
export function unifiedExchange(system: string): Exchange {
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

function exchange(system: string, telling: Telling): Exchange {
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
