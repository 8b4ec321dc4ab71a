import type { Approval } from './tree.ts';

/**
 * The name of a question together with what it asks, for protocols that have no other place for the fingerprint:
 * whoever answers to this name answers to what was shown under it.
 */
export function questionId({ approval, fingerprint }: Pick<Approval, 'approval' | 'fingerprint'>): string {
  return `${approval}~${fingerprint}`;
}

/** Both parts of such a name; the second is absent in the plain name of an approval. */
export function readQuestionId(id: string): { readonly approval: string; readonly fingerprint?: string } {
  const place = id.lastIndexOf('~');
  return place < 0 ? { approval: id } : { approval: id.slice(0, place), fingerprint: id.slice(place + 1) };
}
