import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { documentTools } from './documents.ts';
import { recordingContext, toolContract } from '../tool.contract.ts';
import type { Tool } from '../tool.ts';
import { pdfOf } from '../../../test/pdf.ts';

let base: string;
let root: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'vitrine-documents-'));
  root = join(base, 'root');
});
beforeEach(async () => {
  await rm(root, { recursive: true, force: true });
  await fill();
});
afterAll(() => rm(base, { recursive: true }));

async function fill(): Promise<void> {
  await mkdir(join(root, 'runbooks'), { recursive: true });
  await mkdir(join(root, 'node_modules'), { recursive: true });
  await writeFile(join(base, 'secret.md'), 'The zanzibar password.');
  await symlink('../secret.md', join(root, 'link.md'));
  await writeFile(join(root, 'node_modules/readme.md'), 'zanzibar');
  await writeFile(join(root, 'program.js'), 'zanzibar');
  await writeFile(
    join(root, 'runbooks/fibre cut.md'),
    '# Fibre cut\n\n## Detect\n\nLook at the optical power. It drops\nbelow -30 dBm when a fibre is cut.\n\n## Repair\n\nCall the splicing team in Zürich.\n',
  );
  await writeFile(
    join(root, 'handbook.html'),
    '<title>Handbook</title>\n<h1>Handbook</h1>\n<p>Holidays are asked for in spring.</p>',
  );
  await writeFile(join(root, 'notes.txt'), 'The backup runs every night at two.');
}

const make = (limits = {}): Tool => documentTools({ root, limits })[0] ?? expect.fail('no tool');
const Result = z.object({
  results: z.array(
    z.object({
      title: z.string(),
      path: z.string(),
      lines: z.object({ from: z.number(), to: z.number() }).optional(),
      pages: z.object({ from: z.number(), to: z.number() }).optional(),
      quote: z.string(),
      text: z.string(),
      score: z.number(),
    }),
  ),
  documents: z.number(),
  note: z.string().optional(),
});
const find = async (tool: Tool, query: string, limit = 5) =>
  Result.parse(await tool.run({ query, limit }, recordingContext()));

toolContract('search_documents', async () => {
  await fill();
  return { tool: make(), good: { query: 'optical power' }, secrets: [base, 'password'] };
});

test('[T30] the best passage comes first, with its title, file, lines and a quote', async () => {
  const { results, documents } = await find(make(), 'optical power of a cut fibre');
  expect(documents).toBe(3);
  expect(results[0]).toMatchObject({
    title: 'Fibre cut › Detect',
    path: 'runbooks/fibre cut.md',
    lines: { from: 3, to: 6 },
    quote: 'It drops below -30 dBm when a fibre is cut.',
    text: expect.stringContaining('optical power'),
  });
  expect(results.map(({ score }) => score)).toStrictEqual(
    results.map(({ score }) => score).sort((a, b) => b - a),
  );
  expect((await find(make(), 'holidays')).results).toMatchObject([
    { path: 'handbook.html', lines: { from: 2, to: 3 } },
  ]);
});

test.for([
  ['ZURICH', 'runbooks/fibre cut.md'],
  ['splic', 'runbooks/fibre cut.md'],
  ['holydays', 'handbook.html'],
  ['back-up, night!', 'notes.txt'],
] as const)(
  '[T30] "%s" finds %s: capitals, accents, beginnings and small mistakes do not matter',
  async ([query, path]) => {
    expect((await find(make(), query)).results[0]?.path).toBe(path);
  },
);

test('[T30] what is found is attached as citations and as one list of documents', async () => {
  const context = recordingContext();
  await make().run({ query: 'fibre splicing', limit: 1 }, context);
  expect(context.items).toStrictEqual([
    {
      kind: 'citation',
      title: 'Fibre cut › Repair',
      url: 'runbooks/fibre%20cut.md#L8-L10',
      quote: 'Call the splicing team in Zürich.',
    },
    {
      kind: 'visualization',
      shape: 'documents',
      data: {
        query: 'fibre splicing',
        content: '1 passages for “fibre splicing”',
        citations: ['Fibre cut › Repair (runbooks/fibre%20cut.md#L8-L10)'],
        searchHits: [
          {
            score: expect.any(Number),
            title: 'Fibre cut › Repair',
            content: 'Repair\n\nCall the splicing team in Zürich.',
            chunk_id: 'runbooks/fibre%20cut.md#L8-L10',
          },
        ],
      },
    },
  ]);
});

test('[T32] nothing outside, nothing left out and nothing that is no document is found', async () => {
  const context = recordingContext();
  expect(await make().run({ query: 'zanzibar' }, context)).toStrictEqual({
    results: [],
    documents: 3,
    note: 'Note that nothing was found; try other words.',
  });
  expect(context.items).toStrictEqual([]);
});

test('[T33] changed, new and removed documents are noticed by the next search', async () => {
  const tool = make();
  expect((await find(tool, 'backup')).results).toHaveLength(1);
  await writeFile(join(root, 'notes.txt'), 'The restore runs every night at two.');
  expect((await find(tool, 'backup')).results).toHaveLength(0);
  expect((await find(tool, 'restore')).results).toHaveLength(1);
  await writeFile(join(root, 'new.md'), 'A walrus.');
  expect((await find(tool, 'walrus')).results).toHaveLength(1);
  await rm(join(root, 'new.md'));
  expect(await find(tool, 'walrus')).toMatchObject({ results: [], documents: 3 });
});

test('[T33] a change that keeps size and date is noticed too', async () => {
  const tool = make();
  for (const word of ['alpha', 'gamma', 'delta', 'omega']) {
    await writeFile(join(root, 'same.txt'), word);
    await utimes(join(root, 'same.txt'), 1, 1);
    expect((await find(tool, word)).results).toHaveLength(1);
  }
});

test('[T33] searches at the same time, and one that is stopped, do not disturb each other', async () => {
  const tool = make();
  const stop = new AbortController();
  const stopped = tool.run({ query: 'backup' }, recordingContext(stop.signal)).catch(() => 'stopped');
  const others = Array.from({ length: 10 }, () => find(tool, 'backup'));
  stop.abort();
  expect(await stopped).toBe('stopped');
  for (const { results } of await Promise.all(others)) expect(results).toHaveLength(1);
});

test('[T34] what is too large or too much is left out, and that is said', async () => {
  expect(await find(make({ fileBytes: 60 }), 'backup')).toMatchObject({
    results: { length: 1 },
    documents: 1,
    note: 'Note that 2 documents or folders are too large or too many to be searched.',
  });
  expect(await find(make({ files: 1 }), 'fibre')).toMatchObject({ documents: 1, note: expect.any(String) });
  expect(await find(make({ bytes: 100 }), 'fibre')).toMatchObject({ note: expect.any(String) });
});

test('[T36] a PDF is found by what stands on its pages, and cited by the page', async () => {
  await writeFile(join(root, 'manual.pdf'), pdfOf([['Contents'], ['A walrus lives', 'in the north.']]));
  const context = recordingContext();
  expect(Result.parse(await make().run({ query: 'walrus' }, context))).toMatchObject({
    documents: 4,
    results: [{ title: 'manual.pdf', pages: { from: 2, to: 2 }, quote: 'A walrus lives in the north.' }],
  });
  expect(context.items[0]).toMatchObject({ kind: 'citation', url: 'manual.pdf#page=2' });
});

test.for([
  { is: 'no PDF at all', content: 'walrus', why: 'it is no PDF' },
  { is: 'a PDF that breaks off', content: '%PDF-1.4\n1 0 obj\n<< /Type', why: 'it is no PDF' },
  { is: 'pages without words', content: pdfOf([[], []]), why: 'it has no text, only pictures' },
])('[T36] $is is named with why, and takes nothing else along', async ({ content, why }) => {
  await writeFile(join(root, 'broken.pdf'), content);
  const tool = make();
  for (const query of ['backup', 'holidays'])
    expect(await find(tool, query)).toMatchObject({
      results: [{ path: expect.not.stringContaining('broken') }],
      note: `Note that «broken.pdf» could not be read: ${why}.`,
    });
  await rm(join(root, 'broken.pdf'));
  expect((await find(tool, 'backup')).note).toBeUndefined();
});

test('[T36] a larger PDF than may be read is left out, whatever the limit of texts is', async () => {
  await writeFile(join(root, 'manual.pdf'), pdfOf([['A walrus lives in the north.']]));
  expect((await find(make({ fileBytes: 100, pdfBytes: 10_000 }), 'walrus')).results).toHaveLength(1);
  expect((await find(make({ pdfBytes: 100 }), 'walrus')).results).toHaveLength(0);
});

test('[T37] a row of a table is found with the names of its columns, on its lines', async () => {
  await writeFile(join(root, 'sites.csv'), 'site;city;note\nPER;Perth;"two\nlines"\nKGI;Kalgoorlie;walrus\n');
  expect((await find(make(), 'walrus')).results).toMatchObject([
    {
      path: 'sites.csv',
      lines: { from: 2, to: 4 },
      text: expect.stringContaining('site: KGI; city: Kalgoorlie'),
    },
  ]);
  await writeFile(join(root, 'sites.csv'), 'A walrus, said "somebody" in a text\nthat is no table.');
  expect((await find(make(), 'walrus')).results).toMatchObject([
    { path: 'sites.csv', lines: { from: 1, to: 2 } },
  ]);
  await writeFile(join(root, 'sites.json'), '{\n  "animal": "manatee"\n}');
  expect((await find(make(), 'manatee')).results).toMatchObject([{ path: 'sites.json' }]);
});
