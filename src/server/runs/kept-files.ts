import { z } from 'zod';
import { blobName } from '../../stores/blob-name.ts';
import type { Store } from '../../stores/store.ts';
import { KeptFile, type ListedFile } from '../../wire/native/files.ts';
import { changeShared, listShared, type Kind } from '../shared/kind.ts';
import { envelopeOf, ownerOfFile, type StoredFile } from './files.ts';

/** What is known of a file that somebody sent. */
const FileRow = KeptFile.extend({
  at: z.number(),
  /** Who sent it, and the conversations that have used it. */
  by: z.array(z.string()),
  uses: z.array(z.string()),
  /** Who has its bytes in the store. */
  owner: z.string(),
});
type FileRow = z.infer<typeof FileRow>;

/** A part of a tenant's files, by how their names begin: nothing of one that was erased is left there. */
const filesKind: Kind<readonly FileRow[]> = { kind: 'files', schema: z.array(FileRow) };
const partOf = (file: string): string => file.slice(0, 2);

type Means = Pick<Store, 'blobs' | 'shared' | 'dispatch'>;

export interface Use {
  readonly tenant: string;
  readonly conversation: string;
}

interface Sent {
  readonly tenant: string;
  readonly by?: string;
  /** The conversation it is sent for. */
  readonly conversation?: string;
  readonly at: number;
}

/**
 * Files that people send, by who sent them and what uses them. With the last conversation that uses it a file goes. Each time
 * a file is kept its bytes get an owner of their own: whoever erases it takes nothing from one who sends it at that moment.
 */
export class KeptFiles {
  readonly #store: Means;

  constructor(store: Means) {
    this.#store = store;
  }

  /** The same file of the same tenant is one file. */
  async keep(
    { tenant, by, conversation, at }: Sent,
    given: Pick<StoredFile, 'name' | 'type' | 'bytes'>,
  ): Promise<string> {
    const text = envelopeOf(given);
    const file = blobName(text);
    const owner = `${ownerOfFile(tenant, file)}_${crypto.randomUUID()}`;
    await this.#store.blobs.put({ tenant, run: owner }, text);
    const { name, type, bytes } = given;
    const fresh: FileRow = { file, name, type, size: bytes.length, at, by: [], uses: [], owner };
    const rows = await this.#change(tenant, partOf(file), (known) => {
      const row = known.find((each) => each.file === file) ?? fresh;
      const kept = { ...row, by: withOne(row.by, by), uses: withOne(row.uses, conversation) };
      return [...known.filter((each) => each.file !== file), kept];
    });
    if (rows.every((row) => row.owner !== owner)) await this.#store.dispatch.erase(owner);
    return file;
  }

  /** A conversation uses these. What was erased meanwhile stays so. */
  async use({ tenant, conversation }: Use, files: readonly string[]): Promise<void> {
    for (const file of new Set(files))
      await this.#change(tenant, partOf(file), (known) =>
        known.map((row) => (row.file === file ? { ...row, uses: withOne(row.uses, conversation) } : row)),
      );
  }

  /** A conversation is gone, and with it the files that nothing else uses. */
  async release({ tenant, conversation }: Use): Promise<void> {
    const using = (await this.#all(tenant)).filter(({ uses }) => uses.includes(conversation));
    for (const part of new Set(using.map(({ file }) => partOf(file)))) {
      const gone: FileRow[] = [];
      await this.#change(tenant, part, (known) => {
        gone.length = 0;
        return known.flatMap((row) => {
          if (!row.uses.includes(conversation)) return [row];
          const uses = row.uses.filter((each) => each !== conversation);
          if (uses.length > 0) return [{ ...row, uses }];
          gone.push(row);
          return [];
        });
      });
      for (const { owner } of gone) await this.#store.dispatch.erase(owner);
    }
  }

  /** Whatever uses it. What an older version kept has no row. */
  async erase(tenant: string, file: string): Promise<void> {
    let owner = ownerOfFile(tenant, file);
    await this.#store.dispatch.erase(owner);
    await this.#change(tenant, partOf(file), (known) => {
      owner = known.find((row) => row.file === file)?.owner ?? owner;
      return known.filter((row) => row.file !== file);
    });
    await this.#store.dispatch.erase(owner);
  }

  /** What somebody has sent, the newest first. */
  async list({
    tenant,
    by,
  }: {
    readonly tenant: string;
    readonly by: string;
  }): Promise<readonly ListedFile[]> {
    const own = (await this.#all(tenant)).filter((row) => row.by.includes(by));
    const listed = own.map(({ file, name, type, size, at, uses }) => {
      return { file, name, type, size, at, uses: uses.length };
    });
    return listed.toSorted((one, other) => other.at - one.at || (one.file < other.file ? 1 : -1));
  }

  async #all(tenant: string): Promise<readonly FileRow[]> {
    return (await listShared(this.#store.shared, filesKind, tenant)).flatMap(({ value }) => value);
  }

  #change(
    tenant: string,
    name: string,
    next: (known: readonly FileRow[]) => readonly FileRow[],
  ): Promise<readonly FileRow[]> {
    return changeShared(this.#store.shared, { kind: filesKind, tenant, name }, (known = []) => next(known));
  }
}

function withOne(names: string[], name: string | undefined): string[] {
  return name === undefined || names.includes(name) ? names : [...names, name];
}
