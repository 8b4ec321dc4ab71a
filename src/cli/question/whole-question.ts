import type { Along, EarlierMessage, Exchange } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { type Approval, present } from '../../run/tree.ts';
import { isBlobRef, type Attachment, type BlobRef, type Json } from '../../run/values.ts';
import type { ServerAddress } from '../../client/ask.ts';
import { keptText } from '../place/find.ts';

/** A question with all there is to see of it, wherever it is kept. */
export interface WholeQuestion {
  readonly value: Json;
  readonly exchange?: { readonly asked: string; readonly answered: string; readonly outcome?: string };
  readonly attachments?: readonly Attachment[];
  readonly history?: readonly EarlierMessage[];
}

/** What is too large for the journal is fetched: a person must see all of what they agree to. */
export async function wholeQuestion(
  server: ServerAddress,
  { arguments: given = null, exchange, attachments, history }: Partial<Approval>,
): Promise<WholeQuestion> {
  return {
    value: isBlobRef(given) ? await fetched(server, given) : given,
    ...present({
      exchange: exchange && (await wholeExchange(server, exchange)),
      attachments: attachments && (await wholeAttachments(server, attachments)),
      history: history && (await wholeHistory(server, history)),
    }),
  };
}

/** The same, if there is nothing to fetch. */
export function questionAtHand(approval: Approval): WholeQuestion | undefined {
  const { arguments: given = null, exchange, attachments, history } = approval;
  if (isBlobRef(given) || isBlobRef(history)) return undefined;
  const hanging = [...(attachments ?? []), ...(history ?? []).flatMap((each) => each.attachments ?? [])];
  if (hanging.some(({ blob }) => blob)) return undefined;
  const { asked, answered, outcome } = exchange ?? { asked: '', answered: '' };
  if (typeof asked !== 'string' || typeof answered !== 'string') return undefined;
  const said = exchange && { asked, answered, ...present({ outcome }) };
  return { value: given, ...present({ exchange: said, attachments, history }) };
}

async function wholeExchange(
  server: ServerAddress,
  { asked, answered, outcome }: Exchange,
): Promise<NonNullable<WholeQuestion['exchange']>> {
  return {
    asked: await text(server, asked),
    answered: await text(server, answered),
    ...present({ outcome }),
  };
}

function wholeAttachments(server: ServerAddress, attachments: readonly Attachment[]): Promise<Attachment[]> {
  return Promise.all(
    attachments.map(async ({ blob, ...rest }) => (blob ? { ...rest, data: await text(server, blob) } : rest)),
  );
}

async function wholeHistory(
  server: ServerAddress,
  history: NonNullable<Along['history']>,
): Promise<readonly EarlierMessage[]> {
  const messages = isBlobRef(history)
    ? ((await fetched(server, history)) as unknown as readonly EarlierMessage[])
    : history;
  return Promise.all(
    messages.map(async ({ attachments, ...message }) =>
      attachments ? { ...message, attachments: await wholeAttachments(server, attachments) } : message,
    ),
  );
}

async function text(server: ServerAddress, value: string | BlobRef): Promise<string> {
  const whole = typeof value === 'string' ? value : await fetched(server, value);
  return typeof whole === 'string' ? whole : JSON.stringify(whole);
}

async function fetched(server: ServerAddress, { blob }: BlobRef): Promise<Json> {
  const kept = await keptText(server, blob);
  if (kept === undefined)
    throw new RunError('unavailable', `What is asked about is kept as ${blob}, which cannot be read here.`);
  return JSON.parse(kept) as Json;
}
