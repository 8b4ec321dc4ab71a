import { existsSync, readFileSync } from 'node:fs';
import { breather } from '../../loop/machine.ts';
import type { Entry } from '../../run/events.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { referencesIn } from '../../run/values.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import type { RunRow } from '../../stores/store.ts';
import { exportedFile } from '../../wire/native/runs.ts';
import type { OpenFolder } from '../folder/open-folder.ts';
import { decodeAll, encodeAll, framesAfter } from '../../run/entries.ts';

/** The page without a run: beside the web app, in a checkout and in the package. */
const player = new URL('../../../web/dist/exported.html', import.meta.url);
/** Where a run goes in it. */
const place = '<!--run-->';

/** What the page of a run is called where it is saved: a name and never a path, whoever named the run. */
export function exportedName(run: string): string {
  return `${run.replaceAll(/[^\w-]/g, '_')}.html`;
}

type Kept = Pick<OpenFolder, 'journal' | 'blobs'>;

/** What is said of an exported run beside its entries. */
interface About {
  readonly run: string;
  /** When it was exported. */
  readonly at: number;
  /** Its last good entry, where its journal is damaged. */
  readonly damaged?: number;
  /** What it keeps that is not in the page, by name and bytes. */
  readonly left: Readonly<Record<string, number>>;
}

/**
 * A run as one page: what plays it, its entries until now and what it keeps beside them. Entries and kept things come from
 * where secrets have been taken out. It is told piece by piece, and never held as a whole.
 */
export function exportedRun(
  home: Kept,
  row: RunRow,
  { now, most = exportedFile }: { readonly now: number; readonly most?: typeof exportedFile },
): AsyncGenerator<string> {
  return played(home, row, { now, most, player: readPlayer() });
}

interface Played {
  readonly now: number;
  readonly most: typeof exportedFile;
  readonly player: string;
}

async function* played(home: Kept, row: RunRow, { now, most, player: page }: Played): AsyncGenerator<string> {
  const [before = '', after = ''] = page.split(place);
  const [each, together] = [asKept(most.each), asKept(most.together)];
  const kept = new Map<string, number>();
  yield `${before}<script type="text/plain" id="entries">`;
  let last = 0;
  for await (const frames of framesUntil(home, row)) {
    const entries = decodeAll(frames).map((entry) => withoutLarge(entry, each));
    for (const { event } of entries) for (const { blob, size } of referencesIn(event)) kept.set(blob, size);
    last = entries.at(-1)?.seq ?? last;
    yield inScript(frames.length > each ? encodeAll(entries) : frames);
  }
  yield '</script>\n';
  const left: Record<string, number> = {};
  let room = together;
  for (const [blob, size] of kept) {
    const text = size <= Math.min(each, room) ? await keptIn(home, row, blob) : undefined;
    if (text === undefined) {
      left[blob] = size;
      continue;
    }
    room -= size;
    yield `<script type="application/json" data-kept="${blob}">${inScript(text)}</script>\n`;
  }
  const about: About = { run: row.run, at: now, left, ...(last < row.head ? { damaged: last } : {}) };
  yield `<script type="application/json" id="about">${inScript(JSON.stringify(about))}</script>\n${after}`;
}

async function* framesUntil(
  { journal }: Pick<Kept, 'journal'>,
  { run, head }: RunRow,
): AsyncGenerator<string> {
  const breathe = breather();
  for (let last = 0; last < head;) {
    const chunks = await goodChunks(journal, run, last);
    const reached = chunks.at(-1)?.last;
    if (reached === undefined) return;
    for (const { frames } of chunks) {
      yield framesAfter(frames, last);
      await breathe();
    }
    last = reached;
  }
}

/** A file that stands in its entry and is too large is named there, as if it was kept beside the journal. */
function withoutLarge(entry: Entry, most: number): Entry {
  const { seq, event } = entry;
  if (event.type !== 'item.attached' || event.item.kind !== 'attachment') return entry;
  const { data = '', ...attachment } = event.item.attachment;
  if (data.length <= most) return entry;
  const item = {
    ...event.item,
    attachment: { ...attachment, blob: { blob: `entry ${seq}`, size: data.length } },
  };
  return { ...entry, event: { ...event, item } };
}

/** A file as runs keep it is JSON with its bytes as base64. */
function asKept(bytes: number): number {
  return Math.ceil((bytes * 4) / 3) + 4;
}

/** Undefined where it is gone. What is no name of anything kept may come from a server that is not to be trusted. */
async function keptIn(
  { blobs }: Pick<Kept, 'blobs'>,
  { tenant }: RunRow,
  blob: string,
): Promise<string | undefined> {
  if (!/^[0-9a-f]{64}$/.test(blob)) return undefined;
  return blobs.get(tenant, blob).catch((thrown: unknown) => {
    if (failureOf(thrown).code === 'unknown') return undefined;
    throw thrown;
  });
}

/** JSON that ends no script: there is this sign in its texts only, where it may be written so. */
function inScript(json: string): string {
  return json.replaceAll('<', String.raw`\u003c`);
}

function readPlayer(): string {
  if (existsSync(player)) return readFileSync(player, 'utf8');
  throw new RunError('unready', 'The web app is not built: run «node scripts/build-web.ts», or «npm start».');
}
