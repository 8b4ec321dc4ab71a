import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  copyFileSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { ownProtocols } from '../../src/projections/own-protocols.ts';
import { flatTree } from '../../src/run/flat-tree.ts';
import { foldAll, decodeAll } from '../../src/run/entries.ts';
import { sqliteReader } from '../../src/stores/sqlite/reader.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { verify } from '../../src/stores/folder/verify.ts';
import { sseTexts } from '../../src/wire/sse-frame.ts';

// Journals and folders as released versions wrote them, with what they were shown as then. What was written is never edited:
// a new format gets a folder of its own (GOLDEN=new writes the results that are not there yet). How a journal is told to a
// foreign client changes only where that was wrong, with a decision: the console's frames are those of decision 0020, the rows of the
// flat dialect those of PL80, the beginning of an answer that is kept beside the journal that of decision 0097.
const golden = fileURLToPath(new URL('../golden', import.meta.url));
const versions = readdirSync(golden).filter((name) => /^\d+$/.test(name));
const journals = versions.flatMap((version) =>
  readdirSync(join(golden, version))
    .filter((name) => name.endsWith('.journal'))
    .map((name) => ({ version, name: name.replace('.journal', '') })),
);

/** On the native wire is the journal itself; what `src/projections/chat` tells it compares byte for byte, in `golden/frames`. */
const elsewhere: readonly string[] = ['steps', 'dial', 'openai-chat', 'openai-responses'];
const told = (Object.keys(ownProtocols) as (keyof typeof ownProtocols)[]).filter(
  (name) => !elsewhere.includes(name),
);

function recorded(path: string, result: string): string {
  if (!existsSync(path) && process.env['GOLDEN'] === 'new') writeFileSync(path, result);
  return readFileSync(path, 'utf8');
}

/** What every frame said it still says; a later version may say more. */
function dataIn(frames: string): unknown[] {
  return [...frames.matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    data === '[DONE]' ? data : (JSON.parse(data) as unknown),
  );
}

test.for(journals)(
  '[R54] journal $version/$name folds and is told as it was recorded',
  ({ version, name }) => {
    const at = join(golden, version, name);
    const entries = decodeAll(readFileSync(`${at}.journal`, 'utf8'));
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => i + 1));
    const tree = JSON.stringify(flatTree(foldAll(entries), name), null, 1);
    expect(JSON.parse(tree)).toMatchObject(JSON.parse(recorded(`${at}.tree.json`, tree)) as object);
    for (const protocol of told) {
      const telling = ownProtocols[protocol].telling({ run: name });
      const frames = entries.map((entry) => sseTexts(telling.tell(entry))).join('');
      expect(dataIn(frames)).toMatchObject(dataIn(recorded(`${at}.${protocol}.sse`, frames)));
    }
  },
);

test.for(versions)(
  '[R54, Q16] the folder of format %s opens, is brought up to date, and holds its journals',
  async (version) => {
    const base = mkdtempSync(join(tmpdir(), 'vitrine-golden-'));
    onTestFinished(() => rmSync(base, { recursive: true }));
    const folder = join(base, 'data');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'vitrine.db'),
      gunzipSync(readFileSync(join(golden, version, 'vitrine.db.gz'))),
    );
    copyFileSync(join(golden, version, 'high-water'), join(folder, 'high-water'));
    const store = await sqliteStore({ folder });
    expect(store.notices).toEqual([]);
    const rows = await store.dispatch.list({ tenant: 'local', limit: 100 });
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ damaged }) => damaged !== null)).toEqual([]);
    for (const { run, app } of rows) {
      const path = join(golden, version, `${app}-${run.slice(-6)}.journal`);
      const chunks = await store.journal.read(run, 0);
      const text = chunks.map(({ frames }) => frames).join('');
      expect(text).toBe(recorded(path, text));
    }
    await store.close();
    expect(verify(folder, false)).toMatchObject({ runs: rows.length, damaged: [], problems: [] });
    const reader = await sqliteReader({ folder });
    expect(await reader.dispatch.list({ tenant: 'local', limit: 100 })).toHaveLength(rows.length);
    await reader.close();
  },
);
