import { RunError, type Client, type Entry } from '../../../src/client/client.ts';
import { runStore } from '../../../src/client/store.ts';
import { decodeAll } from '../../../src/run/entries.ts';

/** A run as it was written into a page. */
export interface Exported {
  readonly run: string;
  readonly at: number;
  readonly damaged?: number;
  /** What it keeps that is not in the page, by name and bytes. */
  readonly left: Readonly<Record<string, number>>;
  readonly entries: readonly Entry[];
  /** Something that is. */
  readonly kept: (name: string) => string | undefined;
}

export function readExported(page: Document): Exported {
  const textOf = (found: Element | null): string | undefined => found?.textContent ?? undefined;
  const about = JSON.parse(textOf(page.getElementById('about')) ?? '{}') as Omit<
    Exported,
    'entries' | 'kept'
  >;
  return {
    ...about,
    entries: decodeAll(textOf(page.getElementById('entries')) ?? ''),
    kept: (name) => textOf(page.querySelector(`script[data-kept="${CSS.escape(name)}"]`)),
  };
}

/** The client of a page that has its run in itself: nothing can be asked, sent or begun. */
export function exportedClient({ run: name, left, entries, kept }: Exported): Client {
  const silence = (): AsyncIterable<never> => ({
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
  });
  return {
    watch: () =>
      runStore(name, async function* () {
        yield { is: 'joined', head: entries.at(-1)?.seq ?? 0 };
        yield { is: 'entries', entries };
      }),
    async download(file) {
      const text = kept(file);
      if (text !== undefined) return new TextEncoder().encode(text);
      const size = left[file] ?? 0;
      throw new RunError(
        'too-large',
        `This has ${((size * 3) / 4e6).toPrecision(1)} MB and was not exported with the run: open it at its server.`,
      );
    },
    runs: async () => ({ runs: [], next: null }),
    feed: silence,
    entries: silence,
    follow: silence,
    approvals: async () => ({ approvals: [], next: null }),
    apps: nobody,
    start: nobody,
    conversations: nobody,
    tree: nobody,
    startAndWatch: nobody,
    pause: nobody,
    resume: nobody,
    stop: nobody,
    message: nobody,
    decide: nobody,
    upload: nobody,
    files: nobody,
    eraseFile: nobody,
    bring: nobody,
    documents: nobody,
    forget: nobody,
    workflows: noWorkflows,
    applications: noApplications,
  };
}

async function nobody(): Promise<never> {
  throw new RunError('unavailable', 'This is an exported run: open it at its server for that.');
}

const noApplications: Client['applications'] = {
  list: nobody,
  parts: nobody,
  create: nobody,
  draft: nobody,
  save: nobody,
  publish: nobody,
  archive: nobody,
  restore: nobody,
  versions: nobody,
  diff: nobody,
  clone: nobody,
  erase: nobody,
  tryGuards: nobody,
};

const noWorkflows: Client['workflows'] = {
  list: nobody,
  create: nobody,
  draft: nobody,
  save: nobody,
  dropDraft: nobody,
  validate: nobody,
  publish: nobody,
  clone: nobody,
  archive: nobody,
  restore: nobody,
  versions: nobody,
  version: nobody,
  diff: nobody,
  start: nobody,
  graphOf: nobody,
  schedules: nobody,
  pauseSchedule: nobody,
  resumeSchedule: nobody,
  goOn: nobody,
  tryNode: nobody,
};
