// A disk that loses its power: what was synced is there, what was not may be there, be missing, or be there in part.
import type { Chance } from '../random.ts';
import type { FileEvent } from './strace.ts';

type Change = Extract<FileEvent, { type: 'write' | 'truncate' }>;
type Naming = Extract<FileEvent, { type: 'create' | 'rename' | 'remove' }>;

const sector = 512;

interface File {
  /** What is there whatever happens. */
  safe: Buffer;
  /** What was asked for since. */
  loose: Change[];
}

/**
 * Names are as loose as bytes until their folder is synced. Bytes belong to the file, not to its name, so a file that was
 * renamed keeps what was synced under its old name.
 */
export class Disk {
  readonly #folder: string;
  #safeNames: ReadonlyMap<string, File>;
  readonly #names: Map<string, File>;
  #loose: Naming[] = [];
  #ends = new Map<File, number>();

  constructor(folder: string, files: ReadonlyMap<string, Buffer>) {
    this.#folder = folder;
    this.#names = new Map([...files].map(([path, safe]) => [path, { safe, loose: [] }]));
    this.#safeNames = new Map(this.#names);
  }

  take(event: FileEvent): void {
    if (event.type === 'said') return;
    if (event.type === 'sync') return this.#sync(event.path);
    if (!event.path.startsWith(`${this.#folder}/`)) return;
    if (event.type === 'write' || event.type === 'truncate') {
      const file = this.#names.get(event.path);
      if (file) file.loose.push(this.#placed(file, event));
    } else if (event.type !== 'create' || !this.#names.has(event.path)) {
      name(this.#names, event);
      this.#loose.push(event);
    }
  }

  /** One of the states the disk can be in if the power goes now. */
  cut(chance: Chance): Map<string, Buffer> {
    const names = new Map(this.#safeNames);
    // A folder is written as a log: what was renamed later is not there without what was renamed before.
    const kept = chance.between(0, this.#loose.length);
    for (const naming of this.#loose.slice(0, kept)) name(names, naming, this.#names);
    const states = new Map<File, Buffer>();
    const cut = new Map<string, Buffer>();
    for (const [path, file] of names) {
      const bytes = states.get(file) ?? rebuilt(file, chance);
      states.set(file, bytes);
      cut.set(path, bytes);
    }
    return cut;
  }

  /** How much is not synced. */
  get loose(): number {
    return [...this.#names.values()].reduce((count, { loose }) => count + loose.length, this.#loose.length);
  }

  #sync(path: string): void {
    if (path === this.#folder) {
      this.#safeNames = new Map(this.#names);
      this.#loose = [];
    }
    const file = this.#names.get(path);
    if (!file) return;
    for (const change of file.loose) file.safe = applied(file.safe, change);
    file.loose = [];
  }

  #placed(file: File, event: Change): Change {
    if (event.type === 'truncate' || event.at !== undefined) return event;
    const at = this.#ends.get(file) ?? 0;
    this.#ends.set(file, at + event.bytes.length);
    return { ...event, at };
  }
}

function name(names: Map<string, File>, event: Naming, known?: ReadonlyMap<string, File>): void {
  if (event.type === 'create')
    names.set(event.path, known?.get(event.path) ?? { safe: Buffer.alloc(0), loose: [] });
  else if (event.type === 'remove') names.delete(event.path);
  else {
    const file = names.get(event.from) ?? known?.get(event.path);
    if (file) names.set(event.path, file);
    names.delete(event.from);
  }
}

/** Some of what was not synced, in any order, each whole, missing, or in some of its sectors. */
function rebuilt({ safe, loose }: File, chance: Chance): Buffer {
  const fate = chance.between(0, 3);
  if (fate === 0) return safe;
  const order = fate === 1 ? loose : chance.shuffle(loose);
  let bytes = safe;
  for (const change of order) {
    const luck = fate === 1 ? 1 : chance.between(0, 2);
    if (luck === 0) continue;
    bytes = luck === 1 ? applied(bytes, change) : applied(bytes, change, () => chance.between(0, 1) === 0);
  }
  return bytes;
}

function applied(before: Buffer, change: Change, keeps: () => boolean = () => true): Buffer {
  if (change.type === 'truncate') {
    if (!keeps()) return before;
    const cut = Buffer.alloc(change.size);
    before.copy(cut);
    return cut;
  }
  const { at = 0, bytes } = change;
  const after = Buffer.alloc(Math.max(before.length, at + bytes.length));
  before.copy(after);
  for (let from = 0; from < bytes.length;) {
    const to = Math.min(bytes.length, from + sector - ((at + from) % sector));
    if (keeps()) bytes.copy(after, at + from, from, to);
    from = to;
  }
  return after;
}
