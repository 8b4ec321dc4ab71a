import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { Json } from '../../run/values.ts';
import type { Deadline } from './deadline.ts';
import { bounded } from './failure.ts';
import type { ToolContext } from '../tool.ts';

export interface Asking {
  readonly server: string;
  readonly context: ToolContext;
  readonly clock: Deadline;
  readonly say: (line: string) => void;
}

/** The only values a form of this protocol may have. */
const Form = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** A server's question becomes a question to a person. Without anyone to ask it is declined, and the call is told. */
export async function askPerson(asking: Asking, question: ElicitRequestParams): Promise<ElicitResult> {
  const { server, context, clock, say } = asking;
  if (context.ask === undefined || question.mode === 'url') {
    say(
      `${server} asked something that nobody can answer here, so it was declined: ${bounded(question.message)}`,
    );
    return { action: 'decline' };
  }
  const goOn = clock.pause();
  try {
    const asked = context.ask({
      title: `${server} asks`,
      message: bounded(question.message),
      schema: Json.parse(question.requestedSchema),
    });
    const reply = await Promise.race([asked, cancelled(clock.signal)]);
    if (reply.decision !== 'accept') return { action: reply.decision };
    const form = Form.safeParse(reply.answer ?? {});
    if (form.success) return { action: 'accept', content: form.data };
    say(`The answer for ${server} is not a form of texts, numbers and choices, so it was not sent.`);
    return { action: 'cancel' };
  } finally {
    goOn();
  }
}

function cancelled(signal: AbortSignal): Promise<{ decision: 'cancel' }> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve({ decision: 'cancel' });
    signal.addEventListener('abort', () => resolve({ decision: 'cancel' }), { once: true });
  });
}
