import type { Exchange } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { Approval } from '../../run/tree.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import { localTenant, type HomeReader } from '../../server/folder/home.ts';

/** A question with all there is to see of it, wherever it is kept. */
export interface WholeQuestion {
  readonly value: Json;
  readonly exchange?: { readonly asked: string; readonly answered: string };
}

/** What is too large for the journal is fetched: a person must see all of what they agree to. */
export async function wholeQuestion(
  home: Pick<HomeReader, 'blobs'>,
  { arguments: given = null, exchange }: Pick<Approval, 'arguments' | 'exchange'>,
): Promise<WholeQuestion> {
  const value = isBlobRef(given) ? await fetched(home, given) : given;
  return exchange ? { value, exchange: await wholeExchange(home, exchange) } : { value };
}

/** The same, if there is nothing to fetch. */
export function questionAtHand({ arguments: given = null, exchange }: Approval): WholeQuestion | undefined {
  if (isBlobRef(given)) return undefined;
  if (!exchange) return { value: given };
  const { asked, answered } = exchange;
  if (typeof asked !== 'string' || typeof answered !== 'string') return undefined;
  return { value: given, exchange: { asked, answered } };
}

async function wholeExchange(
  home: Pick<HomeReader, 'blobs'>,
  { asked, answered }: Exchange,
): Promise<NonNullable<WholeQuestion['exchange']>> {
  return { asked: await text(home, asked), answered: await text(home, answered) };
}

async function text(home: Pick<HomeReader, 'blobs'>, value: string | BlobRef): Promise<string> {
  const whole = typeof value === 'string' ? value : await fetched(home, value);
  return typeof whole === 'string' ? whole : JSON.stringify(whole);
}

async function fetched(home: Pick<HomeReader, 'blobs'>, { blob }: BlobRef): Promise<Json> {
  const kept = await home.blobs.get(localTenant, blob);
  if (kept === undefined)
    throw new RunError('unavailable', `What is asked about is kept as ${blob}, which cannot be read here.`);
  return JSON.parse(kept) as Json;
}
