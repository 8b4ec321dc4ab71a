import { z } from 'zod';
import { blobName } from '../../stores/blob-name.ts';
import type { Store } from '../../stores/store.ts';
import { KeptFile, type ListedFile } from '../../wire/native/files.ts';
import { changeShared, listShared, type Kind } from '../shared/kind.ts';
import { envelopeOf, ownerOfFile, type StoredFile } from './files.ts';

/** Who has a file, since when, and the conversations in which they used it. */
const Holder = z.object({ by: z.string(), at: z.number(), uses: z.array(z.string()) });
type Holder = z.infer<typeof Holder>;

/** What is known of a file that somebody sent. */
const FileRow = KeptFile.extend({
  holders: z.array(Holder),
  /** Who has its bytes in the store. */
  owner: z.string(),
});
type FileRow = z.infer<typeof FileRow>;

/** As it was kept before it was known who used it where. Of documents it was not known who brought them. */
const OlderRow = KeptFile.extend({
  at: z.number(),
  by: z.array(z.string()),
  uses: z.array(z.string()),
  owner: z.string(),
}).transform(({ at, by, uses, ...row }) => ({
  ...row,
  holders: (by.length > 0 ? by : ['']).map((who) => ({ by: who, at, uses })),
}));

/** A part of a tenant's files, by how their names begin: nothing of one that was erased is left there. */
const filesKind: Kind<readonly FileRow[]> = { kind: 'files', schema: z.array(z.union([FileRow, OlderRow])) };
const partOf = (file: string): string => file.slice(0, 2);

type Means = Pick<Store, 'blobs' | 'shared' | 'dispatch'>;

interface Sent {
  readonly tenant: string;
  readonly by: string;
  /** The conversation it is sent for. */
  readonly conversation?: string;
  readonly at: number;
}

export type Use = Required<Sent>;

/**
 * Files that people send, each by who has it: they sent it, or attached it. Theirs goes with the last conversation in which
 * they used it, and the bytes with the last who has it. Each time a file is kept its bytes get an owner of their own: whoever
 * erases it takes nothing from one who sends it at that moment.
 */
export class KeptFiles {
  readonly #store: Means;

  constructor(store: Means) {
    this.#store = store;
  }

  /** The same file of the same tenant is one file. */
  async keep(sent: Sent, given: Pick<StoredFile, 'name' | 'type' | 'bytes'>): Promise<string> {
    const { tenant } = sent;
    const text = envelopeOf(given);
    const file = blobName(text);
    const owner = `${ownerOfFile(tenant, file)}_${crypto.randomUUID()}`;
    await this.#store.blobs.put({ tenant, run: owner }, text);
    const { name, type, bytes } = given;
    const fresh: FileRow = { file, name, type, size: bytes.length, holders: [], owner };
    const rows = await this.#change(tenant, partOf(file), (known) => {
      const row = known.find((each) => each.file === file) ?? fresh;
      return [...known.filter((each) => each.file !== file), heldBy(row, sent)];
    });
    if (rows.every((row) => row.owner !== owner)) await this.#store.dispatch.erase(owner);
    return file;
  }

  /** Somebody uses it in a conversation. What was erased meanwhile stays so. */
  async use(use: Use, file: string): Promise<void> {
    await this.#change(use.tenant, partOf(file), (known) =>
      known.map((row) => (row.file === file ? heldBy(row, use) : row)),
    );
  }

  /** A conversation is gone, and with it the files that nothing else uses. */
  async release({ tenant, conversation }: Pick<Use, 'tenant' | 'conversation'>): Promise<void> {
    const isUsing = ({ uses }: Holder): boolean => uses.includes(conversation);
    const using = (await this.#all(tenant)).filter(({ holders }) => holders.some(isUsing));
    for (const part of new Set(using.map(({ file }) => partOf(file))))
      await this.#lessen(tenant, part, ({ holders }) =>
        holders.flatMap((holder) => {
          if (!isUsing(holder)) return [holder];
          const uses = holder.uses.filter((each) => each !== conversation);
          return uses.length > 0 ? [{ ...holder, uses }] : [];
        }),
      );
  }

  /** Somebody has it no more, whatever they used it for. */
  async erase({ tenant, by }: Pick<Sent, 'tenant' | 'by'>, file: string): Promise<void> {
    await this.#lessen(tenant, partOf(file), (row) =>
      row.file === file ? row.holders.filter((holder) => holder.by !== by) : row.holders,
    );
  }

  /** Who has a file. */
  async holders(tenant: string, file: string): Promise<readonly Holder[]> {
    const known = await listShared(this.#store.shared, filesKind, { tenant, name: partOf(file) });
    return known.flatMap(({ value }) => value).find((row) => row.file === file)?.holders ?? [];
  }

  /** What somebody has sent, the newest first. */
  async list({
    tenant,
    by,
  }: {
    readonly tenant: string;
    readonly by: string;
  }): Promise<readonly ListedFile[]> {
    const listed = (await this.#all(tenant)).flatMap(({ file, name, type, size, holders }) => {
      const own = holders.find((holder) => holder.by === by);
      return own ? [{ file, name, type, size, at: own.at, uses: own.uses.length }] : [];
    });
    return listed.toSorted((one, other) => other.at - one.at || (one.file < other.file ? 1 : -1));
  }

  async #all(tenant: string): Promise<readonly FileRow[]> {
    return (await listShared(this.#store.shared, filesKind, { tenant })).flatMap(({ value }) => value);
  }

  /** Fewer have the files of a part; what nobody has any more goes. */
  async #lessen(tenant: string, part: string, left: (row: FileRow) => Holder[]): Promise<void> {
    const gone: FileRow[] = [];
    await this.#change(tenant, part, (known) => {
      gone.length = 0;
      return known.flatMap((row) => {
        const holders = left(row);
        if (holders.length > 0) return [{ ...row, holders }];
        gone.push(row);
        return [];
      });
    });
    for (const { owner } of gone) await this.#store.dispatch.erase(owner);
  }

  #change(
    tenant: string,
    name: string,
    next: (known: readonly FileRow[]) => readonly FileRow[],
  ): Promise<readonly FileRow[]> {
    return changeShared(this.#store.shared, { kind: filesKind, tenant, name }, (known = []) => next(known));
  }
}

function heldBy(row: FileRow, { by, at, conversation }: Sent): FileRow {
  const known = row.holders.find((holder) => holder.by === by) ?? { by, at, uses: [] };
  const isNews = conversation !== undefined && !known.uses.includes(conversation);
  const holder = isNews ? { ...known, uses: [...known.uses, conversation] } : known;
  return { ...row, holders: [...row.holders.filter((each) => each.by !== by), holder] };
}
