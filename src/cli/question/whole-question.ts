import type { Along, EarlierMessage, Exchange } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import type { Approval } from '../../run/tree.ts';
import { isBlobRef, type Attachment, type BlobRef, type Json } from '../../run/values.ts';
import { localTenant, type FolderReader } from '../../server/folder/home.ts';

/** A question with all there is to see of it, wherever it is kept. */
export interface WholeQuestion {
  readonly value: Json;
  readonly exchange?: { readonly asked: string; readonly answered: string; readonly outcome?: string };
  readonly attachments?: readonly Attachment[];
  readonly history?: readonly EarlierMessage[];
}

type Blobs = Pick<FolderReader, 'blobs'>;

/** What is too large for the journal is fetched: a person must see all of what they agree to. */
export async function wholeQuestion(
  home: Blobs,
  { arguments: given = null, exchange, attachments, history }: Partial<Approval>,
): Promise<WholeQuestion> {
  return {
    value: isBlobRef(given) ? await fetched(home, given) : given,
    ...present({
      exchange: exchange && (await wholeExchange(home, exchange)),
      attachments: attachments && (await wholeAttachments(home, attachments)),
      history: history && (await wholeHistory(home, history)),
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
  home: Blobs,
  { asked, answered, outcome }: Exchange,
): Promise<NonNullable<WholeQuestion['exchange']>> {
  return {
    asked: await text(home, asked),
    answered: await text(home, answered),
    ...present({ outcome }),
  };
}

function wholeAttachments(home: Blobs, attachments: readonly Attachment[]): Promise<Attachment[]> {
  return Promise.all(
    attachments.map(async ({ blob, ...rest }) => (blob ? { ...rest, data: await text(home, blob) } : rest)),
  );
}

async function wholeHistory(
  home: Blobs,
  history: NonNullable<Along['history']>,
): Promise<readonly EarlierMessage[]> {
  const messages = isBlobRef(history)
    ? ((await fetched(home, history)) as unknown as readonly EarlierMessage[])
    : history;
  return Promise.all(
    messages.map(async ({ attachments, ...message }) =>
      attachments ? { ...message, attachments: await wholeAttachments(home, attachments) } : message,
    ),
  );
}

async function text(home: Blobs, value: string | BlobRef): Promise<string> {
  const whole = typeof value === 'string' ? value : await fetched(home, value);
  return typeof whole === 'string' ? whole : JSON.stringify(whole);
}

async function fetched(home: Blobs, { blob }: BlobRef): Promise<Json> {
  const kept = await home.blobs.get(localTenant, blob);
  if (kept === undefined)
    throw new RunError('unavailable', `What is asked about is kept as ${blob}, which cannot be read here.`);
  return JSON.parse(kept) as Json;
}
