// A protocol that nobody speaks, as the next ones will be written: it knows nothing of attempts, of what ends with what, nor
// of what comes late. Its frames are bytes, its answers end at a question, and it answers those who want no stream.
import { z } from 'zod';
import { overStory } from '../src/projections/story-projection.ts';
import { protocol } from '../src/projections/protocol.ts';
import { isOpen, stepOf, textOf, type RunTree, type Step } from '../src/run/tree.ts';
import { parsed } from '../src/run/values.ts';
import { bytes, type BinaryFrame } from '../src/wire/framing.ts';

export type Told =
  | { readonly open: string; readonly in: string; readonly title: string }
  | { readonly in: string; readonly text: string }
  | { readonly close: string; readonly how: string }
  | { readonly ask: string; readonly in: string }
  | { readonly end: string; readonly answer: string };

const Request = z.object({ say: z.string(), whole: z.boolean().optional(), talk: z.string().optional() });

export const imaginaryProjection = overStory<null, null, Told>({
  reopens: true,
  memory: () => null,
  own: () => null,
  tell: {
    'step.opened': ({ frames, story }, _, step) =>
      void frames.push({
        open: nameOf(step),
        in: nameOf(story.steps.get(step.parent) ?? story.run),
        title: step.title,
      }),
    'text.appended'({ frames }, { channel, text }, step) {
      if (channel === 'content') frames.push({ in: nameOf(step), text });
    },
    'step.closed': ({ frames }, { outcome }, step) => void frames.push({ close: nameOf(step), how: outcome }),
    'approval.requested': ({ frames }, { title }, step) => void frames.push({ ask: title, in: nameOf(step) }),
    'run.ended': ({ frames }, { outcome, answer }) =>
      void frames.push({ end: outcome, answer: typeof answer === 'string' ? answer : '' }),
  },
});

export function nameOf({ id, attempt }: { readonly id: number; readonly attempt: number }): string {
  return attempt === 1 ? `s${id}` : `s${id}.${attempt}`;
}

export const imaginary = protocol<ReturnType<typeof imaginaryProjection.begin>, Told, BinaryFrame>({
  name: 'imaginary',
  projection: () => imaginaryProjection,
  write: (told) => ({ data: new TextEncoder().encode(`${JSON.stringify(told)}\n`) }),
  framing: bytes,
  ends: 'question',
  prelude: (tree) => [...steps(tree)].flatMap((step) => shown(tree, step)),
  block: (all) => ({ answer: all.flatMap((told) => ('end' in told ? [told.answer] : [])).join('') }),
  error: ({ message }) => ({ sorry: message }),
  doors: [
    {
      path: '/imaginary/:app',
      about: 'Say something to an app.',
      keyHeader: 'x-imaginary-key',
      read({ params: { app = '' }, body }) {
        const { say, whole = false, talk } = parsed(Request, body, 'The request');
        const message = { role: 'user', text: say } as const;
        return { wants: 'start', app, message, conversation: talk, form: whole ? 'whole' : 'stream' };
      },
    },
  ],
});

function shown(tree: RunTree, step: Step): Told[] {
  const name = nameOf(step);
  const open = { open: name, in: nameOf(stepOf(tree, step.parent)), title: step.title };
  const text = textOf(step) === '' ? [] : [{ in: name, text: textOf(step) }];
  return [open, ...text, ...(isOpen(step) ? [] : [{ close: name, how: step.status }])];
}

/** What counts: the steps of the last attempts, those above first. */
export function* steps(tree: RunTree, above: Step = stepOf(tree, 0)): Generator<Step> {
  for (const id of above.children) {
    const step = stepOf(tree, id);
    if (step.status !== 'pending' && step.openedAt !== undefined) yield step;
    yield* steps(tree, step);
  }
}
