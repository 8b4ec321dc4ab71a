import { RunError } from '../src/run/failure.ts';
import type { Json } from '../src/run/values.ts';
import type { Tool } from '../src/tools/tool.ts';
import type { Chance } from './random.ts';
import { toolOf } from './world.ts';

/** One thing a sensible agent wants: a call, and what it must get at this moment. */
export interface Wish {
  readonly tool: string;
  readonly input: { readonly [name: string]: Json };
  /** Undefined: it fails. */
  readonly result: Json | undefined;
}

/** What a sensible agent does, one batch after the other. */
export interface Trace {
  readonly kind: string;
  readonly files: Readonly<Record<string, string>>;
  readonly batches: readonly (readonly Wish[])[];
}

/** Tools over files in memory, one set for each run. A job is done when it was polled often enough. */
export function fileTools(files: Readonly<Record<string, string>>, pollsUntilDone = 4): readonly Tool[] {
  const kept = new Map(Object.entries(files));
  let polls = 0;
  const readFile = ({ path }: { path: string }): Json => {
    const text = kept.get(path);
    if (text === undefined) throw new RunError('unknown', `There is no file ${path}.`);
    return text;
  };
  const field = (input: Json, name: string): string =>
    String((input as Record<string, string | number>)[name]);
  return [
    toolOf('list', () => [...kept.keys()].toSorted((a, b) => a.localeCompare(b))),
    toolOf('read', (input) => readFile({ path: field(input, 'path') })),
    toolOf('page', (input) => `items of page ${field(input, 'page')}`),
    toolOf('poll', () => ((polls += 1) < pollsUntilDone ? 'running' : 'done'), { repeatable: true }),
    toolOf(
      'write',
      (input) => {
        kept.set(field(input, 'path'), field(input, 'text'));
        return 'written';
      },
      { effect: 'idempotent' },
    ),
    toolOf('delete', (input) => kept.delete(field(input, 'path')), { effect: 'once' }),
  ];
}

/** Writes a trace down together with what the world must answer, in a world of its own. */
class Author {
  readonly #files: Map<string, string>;
  readonly batches: Wish[][] = [];

  constructor(files: Readonly<Record<string, string>>) {
    this.#files = new Map(Object.entries(files));
  }

  one(wish: Wish): this {
    this.batches.push([wish]);
    return this;
  }

  list(): Wish {
    return {
      tool: 'list',
      input: {},
      result: [...this.#files.keys()].toSorted((a, b) => a.localeCompare(b)),
    };
  }

  read(path: string): Wish {
    return { tool: 'read', input: { path }, result: this.#files.get(path) };
  }

  write(path: string, text: string): Wish {
    this.#files.set(path, text);
    return { tool: 'write', input: { path, text }, result: 'written' };
  }

  delete(path: string): Wish {
    return { tool: 'delete', input: { path }, result: this.#files.delete(path) };
  }
}

type Tale = (author: Author, names: readonly string[], chance: Chance) => void;

const tales: Readonly<Record<string, Tale>> = {
  paging(author, _, chance) {
    const pages = chance.between(3, 8);
    for (let page = 1; page <= pages; page += 1)
      author.one({ tool: 'page', input: { page }, result: `items of page ${page}` });
  },
  polling(author, names) {
    for (const result of ['running', 'running', 'running', 'done'])
      author.one({ tool: 'poll', input: { job: names[0] ?? '' }, result });
  },
  'list, then read'(author, names, chance) {
    author.one(author.list());
    for (const path of chance.shuffle(names).slice(0, 3)) author.one(author.read(path));
  },
  'list, delete, list'(author, names, chance) {
    author.one(author.list());
    for (const path of chance.shuffle(names).slice(0, chance.between(1, 3)))
      author.one(author.delete(path)).one(author.list());
  },
  'write, read, write'(author, names, chance) {
    const path = chance.pick(names);
    author.one(author.read(path));
    for (let version = 1; version <= chance.between(2, 3); version += 1)
      author.one(author.write(path, `version ${version}`)).one(author.read(path));
  },
  'read what is missing, write it, read it'(author, _, chance) {
    const path = `new-${chance.between(1, 99)}.md`;
    author
      .one(author.read(path))
      .one(author.read(path))
      .one(author.write(path, 'now'))
      .one(author.read(path));
  },
  'fan-out'(author, names, chance) {
    const paths = chance.shuffle(names);
    author.batches.push(paths.map((path) => author.read(path)));
    const [first = '', ...others] = paths;
    // What is read beside a write may be old or new; only other files have one right answer.
    const beside = others.map((path) => author.read(path));
    author.batches.push([author.write(first, 'rewritten'), ...beside]);
    author.batches.push([author.read(first), ...others.map((path) => author.read(path))]);
  },
};

export const kindsOfTraces = Object.keys(tales);

export function legitimateTrace(kind: string, chance: Chance): Trace {
  const names = Array.from(
    { length: chance.between(3, 5) },
    (_, i) => `file-${i}-${chance.between(1, 999)}.md`,
  );
  const files = Object.fromEntries(names.map((name) => [name, `text of ${name}`]));
  const author = new Author(files);
  tales[kind]?.(author, names, chance);
  return { kind, files, batches: author.batches };
}
