import type { TurnRequest, TurnResult } from '../engine/scope.ts';
import type { Attachment } from '../run/values.ts';
import type { SettledCall } from './converse-calls.ts';
import { resultBody, resultBox } from './converse-words.ts';

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
  const past: Message[] = [];
  return {
    hear: (said) => void past.push(userMessage(said)),
    turned() {},
    settled(calls, notices) {
      const boxes = calls.filter(({ outcome }) => outcome !== 'left' && outcome !== 'refused');
      for (const call of boxes.slice(0, mostBoxes)) past.push({ role: 'system', text: resultBox(call) });
      for (const notice of notices) past.push({ role: 'system', text: `NOTICE: ${notice}` });
    },
    answered: (text) => void past.push({ role: 'assistant', text }),
    messages: (instructions) => [
      { role: 'system', text: system },
      ...past,
      ...instructions.map((text): Message => ({ role: 'system', text })),
    ],
  };
}

/** One growing exchange: calls are the assistant's, and every one of them is answered by a tool message. */
export function unifiedExchange(system: string): Exchange {
  const past: Message[] = [];
  return {
    hear: (said) => void past.push(userMessage(said)),
    turned: ({ text, calls }) => void past.push({ role: 'assistant', text, calls }),
    settled(calls, notices) {
      for (const call of calls) past.push({ role: 'tool', call: call.id, text: resultBody(call) });
      for (const notice of notices) past.push({ role: 'system', text: `NOTICE: ${notice}` });
    },
    answered: (text) => void past.push({ role: 'assistant', text }),
    messages: (instructions) => [
      { role: 'system', text: system },
      ...past,
      ...instructions.map((text): Message => ({ role: 'system', text })),
    ],
  };
}

function userMessage({ text, attachments = [] }: Said): Message {
  return { role: 'user', text, ...(attachments.length > 0 ? { attachments } : {}) };
}
