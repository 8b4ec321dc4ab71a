import type { Message, Part, SendMessageRequest } from '@a2a-js/sdk';
import { readAs, type Wrong } from '../../run/values.ts';
import { type A2AError, RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import { DecisionRequest } from '../../run/commands.ts';
import { runStatus, undecidedApprovals, type RunTree, present } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import type { GivenAttachment } from '../../wire/native/attachment.ts';
import { startRun } from '../routes/start-run.ts';
import { decisionInWords } from '../../run/asking.ts';
import { decideTogether, expectFewDecisions } from '../runs/decide-approval.ts';
import { ownConversation } from '../runs/own-conversation.ts';
import type { Asked } from './requests.ts';

export interface Taken {
  readonly row: RunRow;
  /** The entry that whoever sent the message knows of. */
  readonly after: number;
}

/** What a message does: it begins a task, answers what one asks, or tells one that works something more. */
export async function taken(
  { context, caller, app }: Asked,
  taskRow: (id: string) => Promise<RunRow>,
  { message }: SendMessageRequest,
): Promise<Taken> {
  if (!message) throw new RequestMalformedError('The request has no «message».');
  const text = textIn(message);
  if (message.taskId !== '') {
    const row = await taskRow(message.taskId);
    const tree = await context.trees.of(row);
    if (tree.ended)
      throw new UnsupportedOperationError(
        `Task ${row.run} has ended: send the message with its context «${row.conversation}» and no task.`,
      );
    if (runStatus(tree) === 'waiting')
      return { row, after: await answer({ context, caller }, { row, tree, message }) };
    const id = `a2a ${message.messageId}`;
    const command = { type: 'message', by: caller.who, text } as const;
    const { receipt } = await context.home.front.command(row, { command, id });
    return { row, after: receipt.used ?? row.head };
  }
  const attachments = attachmentsIn(message);
  if (text.trim() === '' && attachments.length === 0)
    throw new RequestMalformedError(
      'The message has no parts that say anything: give it text, data or files.',
    );
  const own = message.contextId === '' ? undefined : ownConversation(caller, message.contextId);
  const { run } = await startRun(context, caller, {
    app: app.name,
    input: { text, attachments },
    ...present({
      conversation: own?.id,
      begins: own?.mayBegin,
      key: message.messageId === '' ? undefined : `a2a ${message.messageId}`,
    }),
  });
  return { row: await taskRow(run), after: 0 };
}

const Answer = z.strictObject({ approval: z.string().optional(), ...DecisionRequest.shape });

interface Answering {
  readonly row: RunRow;
  readonly tree: RunTree;
  readonly message: Message;
}

/** An answer to what a task asks: a decision as data, or «approve …» and «reject …» with the fingerprint that was shown. */
async function answer(
  { context, caller }: Pick<Asked, 'context' | 'caller'>,
  { row, tree, message }: Answering,
): Promise<number> {
  const wanted = decisionsIn(message).map(({ approval: named, ...body }) => {
    const approval = undecidedApprovals(tree).find(
      (each) => (named === undefined || each.approval === named) && each.fingerprint === body.fingerprint,
    );
    if (!approval)
      throw new RequestMalformedError(
        'Name what you decide: «approve <fingerprint>» or «reject <fingerprint>», with the fingerprint that was shown.',
      );
    return { row, approval, body };
  });
  const decided = await decideTogether(context, caller, wanted);
  return decided.at(-1)?.approval.decided?.seq ?? row.head;
}

function decisionsIn(message: Message): readonly z.infer<typeof Answer>[] {
  const data = message.parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value] : []));
  expectFewDecisions(data.length, 'parts');
  if (data.length === 0) return [decisionInWords(textIn(message)) ?? { decision: 'reject' }];
  return data.map((value) => {
    const read = readAs(Answer, value);
    if (read.fits) return read.value;
    throw misfit('The decision', read.wrong);
  });
}

/** What does not fit, as the protocol says it. */
export function misfit(what: string, [{ path, message }]: readonly [Wrong, ...Wrong[]]): A2AError {
  return new RequestMalformedError(`${what} does not fit: ${path.join('.')}: ${message}.`);
}

function textIn({ parts }: Message): string {
  return parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n');
}

function attachmentsIn({ parts }: Message): GivenAttachment[] {
  return parts.flatMap((part) => attachmentOf(part) ?? []);
}

function attachmentOf({ content, mediaType, filename }: Part): GivenAttachment | undefined {
  const about = present({ type: mediaType || 'application/octet-stream', title: filename || undefined });
  if (content?.$case === 'url') return { ...about, url: content.value };
  if (content?.$case === 'raw') return { ...about, data: content.value.toString('base64') };
  if (content?.$case === 'data')
    return { ...about, type: 'application/json', data: JSON.stringify(content.value) };
  return undefined;
}
