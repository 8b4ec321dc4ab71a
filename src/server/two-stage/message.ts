import type { Wish } from '../../projections/door.ts';
import { decisionInWords } from '../../run/asking.ts';
import { RunError } from '../../run/failure.ts';
import type { Framing } from '../../wire/framing.ts';
import { TwoStageMessage } from '../../wire/two-stage.ts';
import { present } from '../../run/tree.ts';

const senders = new Set(['user', 'orion', 'assistant', 'system', 'tool']);

/** A message of the original's client: whose project, what is said, and what it wants to be called. */
export interface ReadMessage {
  /** One conversation for each. */
  readonly externalId: string;
  readonly content: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly app: string | undefined;
}

/** Fails in the words its clients know. */
export function readMessage(body: unknown): ReadMessage {
  const { data } = TwoStageMessage.safeParse(body);
  const externalId = data?.external_id ?? data?.projectId ?? data?.project_id;
  const content = data?.content ?? data?.message;
  const sender = data?.sender ?? (data?.message === undefined ? undefined : 'user');
  if (!externalId || !content || !sender)
    throw new RunError('malformed', 'external_id, sender, and content are required');
  if (!senders.has(sender)) throw new RunError('malformed', 'Invalid sender value');
  if (sender !== 'user')
    throw new RunError('malformed', 'Only user messages are accepted for two-stage protocol');
  const { metadata = {}, mode } = data ?? {};
  const projectId = metadata.projectId ?? projectIn(externalId);
  const labels = present({ projectId, requestId: metadata.requestId, mode: metadata.mode ?? mode });
  return { externalId, content, labels: labels as Record<string, string>, app: metadata.app };
}

/** The project stands before the first dash. */
function projectIn(externalId: string): string {
  return externalId.split('-')[0] || 'P1';
}

/** What a message asks for: an answer, or, in the words that were shown, a decision. */
export function wishOf(
  { externalId, content, labels, app: named }: ReadMessage,
  { app, isTwoStage }: { readonly app: string; readonly isTwoStage: boolean },
): Wish<Framing> {
  const decided = decisionInWords(content);
  if (decided) {
    const { decision, fingerprint: question } = decided;
    return { wants: 'decide', app: named, decisions: [{ question, decision }], form: 'stream' };
  }
  const protocol: Record<string, string> = isTwoStage ? { 'converse.protocol': 'two-stage' } : {};
  return {
    wants: 'start',
    app,
    message: { role: 'user', text: content },
    conversation: externalId,
    labels: { ...labels, ...protocol },
    form: 'stream',
  };
}
