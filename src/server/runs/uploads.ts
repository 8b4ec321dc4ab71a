import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { Item, Json } from '../../run/values.ts';
import type { Store } from '../../stores/store.ts';
import { BroughtDocument } from '../../wire/native/documents.ts';
import { changeShared, type Kind } from '../shared/kind.ts';
import { fileIn, ownerOfFile, safeName } from './files.ts';
import { KeptFiles } from './kept-files.ts';

export type Upload = BroughtDocument;

export interface UploadsOf {
  readonly tenant: string;
  readonly conversation: string;
}

export interface BroughtBy extends UploadsOf {
  readonly by: string;
}

/** Where documents are read and found. */
export interface Shelves {
  put(
    shelf: string,
    document: { readonly file: string; readonly name: string; readonly bytes: Uint8Array },
    reading: { readonly tenant: string; readonly signal: AbortSignal },
  ): Promise<string | undefined>;
  has(shelf: string, file: string): boolean;
  drop(shelf: string): void;
  search(
    shelf: string,
    query: string,
    most: number,
  ): { readonly passages: readonly Json[]; readonly items: readonly Item[] };
}

export interface FoundInUploads {
  readonly passages: readonly Json[];
  readonly items: readonly Item[];
  /** What could not be searched, each in a sentence. */
  readonly unread: readonly string[];
}

const uploadsKind: Kind<readonly Upload[]> = { kind: 'uploads', schema: z.array(BroughtDocument) };
const mostUploads = 50;
const mostPassages = 10;

interface Means {
  readonly store: Pick<Store, 'blobs' | 'shared' | 'dispatch'>;
  readonly shelves: Shelves;
  readonly now: () => number;
  /** Told of what went wrong while nobody waited. */
  readonly problem: (cause: unknown) => void;
}

/**
 * The documents of each conversation. They are files like others, kept as blobs; the index over them is in memory, and is
 * made again of the blobs by whoever asks first after a restart.
 */
export class Uploads {
  readonly #means: Means;
  readonly files: KeptFiles;
  /** What is being read, by shelf: one after the other. */
  readonly #reading = new Map<string, Promise<void>>();
  readonly #over = new AbortController();

  constructor(means: Means) {
    this.#means = means;
    this.files = new KeptFiles(means.store);
  }

  /** Keep a document. It is read at once, and nobody waits for that. */
  async add(
    { by, ...of }: BroughtBy,
    given: { readonly name: string; readonly type: string; readonly bytes: Buffer },
  ): Promise<Upload> {
    const { now } = this.#means;
    const name = safeName(given.name);
    if (given.bytes.length === 0)
      throw new RunError('malformed', `«${name}» is empty: send a document with text in it.`);
    const before = await this.#rows(of);
    if (before.length >= mostUploads)
      throw new RunError(
        'rejected',
        `This conversation has ${mostUploads} documents: begin another one for more.`,
      );
    const file = await this.files.keep({ ...of, by, at: now() }, { ...given, name });
    const upload: Upload = {
      file,
      name,
      type: given.type,
      size: given.bytes.length,
      at: now(),
      state: 'pending',
    };
    await this.#change(of, (rows) => (rows.some((row) => row.file === file) ? rows : [...rows, upload]));
    this.#readAlone(of);
    return upload;
  }

  /** How they stand. What a process that is gone had begun to read is read again. */
  async list(of: UploadsOf): Promise<readonly Upload[]> {
    const rows = await this.#rows(of);
    if (rows.some(isUnsettled)) this.#readAlone(of);
    return rows;
  }

  /** The best passages for a query, of the conversation of a run. */
  async search(run: string, query: string, most = mostPassages): Promise<FoundInUploads> {
    const row = await this.#means.store.dispatch.get(run);
    if (!row) throw new RunError('unknown', `There is no run «${run}».`);
    await this.#read(row);
    const unread = (await this.#rows(row)).filter(({ state }) => state === 'failed');
    const found = this.#means.shelves.search(shelfOf(row), query, most);
    return {
      ...found,
      unread: unread.map(({ name, why }) => `«${name}» could not be read: ${why ?? 'nobody knows why'}`),
    };
  }

  /** With the conversation its documents go, and what was sent for it. */
  async erase({ tenant, conversation }: UploadsOf): Promise<void> {
    const { store, shelves } = this.#means;
    const of = { tenant, conversation };
    await this.files.release(of);
    const rows = await this.#rows(of);
    if (rows.length === 0) return;
    shelves.drop(shelfOf(of));
    // What an older version kept.
    for (const { file } of rows) await store.dispatch.erase(ownerOfFile(tenant, file));
    await this.#change(of, () => []);
  }

  /** Read nothing more. */
  close(): void {
    this.#over.abort();
  }

  /** Whoever asks next tries again. */
  #readAlone(of: UploadsOf): void {
    const { signal } = this.#over;
    this.#read(of).catch((cause: unknown) => (signal.aborted ? undefined : this.#means.problem(cause)));
  }

  /** Resolves when everything is found, or known to be unreadable. */
  #read(of: UploadsOf): Promise<void> {
    const shelf = shelfOf(of);
    const work = async (): Promise<void> => {
      for (const row of await this.#rows(of)) await this.#readOne(of, row);
    };
    const reading = (this.#reading.get(shelf) ?? Promise.resolve()).then(work, work);
    this.#reading.set(shelf, reading);
    const done = (): void => {
      if (this.#reading.get(shelf) === reading) this.#reading.delete(shelf);
    };
    reading.then(done, done);
    return reading;
  }

  async #readOne(of: UploadsOf, { file, name, state }: Upload): Promise<void> {
    const { store, shelves } = this.#means;
    const { signal } = this.#over;
    const shelf = shelfOf(of);
    if (state === 'failed' || signal.aborted || (state === 'ready' && shelves.has(shelf, file))) return;
    if (state === 'pending') await this.#settle(of, file, { state: 'processing' });
    const text = await store.blobs.get(of.tenant, file);
    const kept = text === undefined ? undefined : fileIn(file, text);
    const document = kept && { file, name, bytes: kept.bytes };
    const why = document
      ? await shelves.put(shelf, document, { tenant: of.tenant, signal })
      : 'it was erased';
    if (signal.aborted) return;
    await this.#settle(of, file, why === undefined ? { state: 'ready' } : { state: 'failed', why });
  }

  #settle(of: UploadsOf, file: string, how: Pick<Upload, 'state' | 'why'>): Promise<readonly Upload[]> {
    return this.#change(of, (rows) => rows.map((row) => (row.file === file ? { ...row, ...how } : row)));
  }

  #change(of: UploadsOf, next: (rows: readonly Upload[]) => readonly Upload[]): Promise<readonly Upload[]> {
    const { tenant, conversation: name } = of;
    return changeShared(this.#means.store.shared, { kind: uploadsKind, tenant, name }, (known = []) =>
      next(known),
    );
  }

  async #rows({ tenant, conversation }: UploadsOf): Promise<readonly Upload[]> {
    const key = { kind: uploadsKind.kind, tenant, name: conversation };
    const [kept] = await this.#means.store.shared.list(key);
    return kept ? uploadsKind.schema.parse(JSON.parse(kept.value)) : [];
  }
}

function isUnsettled({ state }: Upload): boolean {
  return state === 'pending' || state === 'processing';
}

function shelfOf({ tenant, conversation }: UploadsOf): string {
  return JSON.stringify([tenant, conversation]);
}
