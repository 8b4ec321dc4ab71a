import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Item } from '../run/values.ts';
import { readSections, type SectionItem } from './sectioned-text.ts';

/** Sections are items of a run; this would not compile if they were not. */
const items = (answer: string): Item[] =>
  (readSections(answer, 'GraphExplorerAgent')?.items ?? []).map((item: SectionItem): Item =>
    Item.parse(item),
  );

const path = `Two paths depend on it.
---QUERY---
MATCH (p:MPLSPath) RETURN p.id, p.hops
---RESULTS---
{"columns": [{"name": "p.id", "type": "string"}, {"name": "p.hops", "type": "int"}],
 "data": [{"p.id": "MPLS-1", "p.hops": 3}]}
---ANALYSIS---
MPLS-1 has no backup.`;

describe('an answer in sections', () => {
  test('is a graph with its query, and text for people', () => {
    expect(readSections(path, 'a')?.text).toBe('Two paths depend on it.\n\nMPLS-1 has no backup.');
    expect(items(path)).toEqual([
      {
        kind: 'visualization',
        shape: 'graph',
        data: {
          columns: [
            { name: 'p.id', type: 'string' },
            { name: 'p.hops', type: 'int' },
          ],
          data: [{ 'p.id': 'MPLS-1', 'p.hops': 3 }],
          query: 'MATCH (p:MPLSPath) RETURN p.id, p.hops',
        },
      },
    ]);
  });

  test('has a visualization for each pair of query and results, in their order', () => {
    const text = `---QUERY---
first
---RESULTS---
{"columns":["t","v"],"rows":[["10:00",1],["10:01",null]]}
---QUERY---
second
---RESULTS---
\`\`\`json
{"nodes":[{"id":"a","label":"Router"}],"edges":[],"meta":{"node_count":1}}
\`\`\`
---RESULTS---
[{"a":1},{"b":null,"a":2}]
---ANALYSIS---
Fine.`;
    expect(items(text)).toMatchObject([
      {
        shape: 'table',
        data: {
          query: 'first',
          columns: [
            { name: 't', type: 'string' },
            { name: 'v', type: 'string' },
          ],
          rows: [
            { t: '10:00', v: 1 },
            { t: '10:01', v: null },
          ],
        },
      },
      { shape: 'graph', data: { query: 'second', nodes: [{ id: 'a' }], edges: [], meta: { node_count: 1 } } },
      {
        shape: 'table',
        data: {
          query: 'second',
          columns: [
            { name: 'a', type: 'number' },
            { name: 'b', type: 'string' },
          ],
        },
      },
    ]);
  });

  test('whose results cannot be read is documents with the analysis, beside those that can', () => {
    const text = path.replace(
      '---ANALYSIS---',
      '---QUERY---\nq\n---RESULTS---\n{"columns": [\n---ANALYSIS---',
    );
    expect(items(text)).toMatchObject([
      { shape: 'graph' },
      { shape: 'documents', data: { content: 'MPLS-1 has no backup.', agent: 'GraphExplorerAgent' } },
    ]);
  });

  test.for<{ name: string; results: string }>([
    { name: 'words', results: 'No rows were found.' },
    { name: 'an error', results: '{"error": "timeout"}' },
    { name: 'half of it', results: '{"columns": [{"name": "a"}], "data": [{"a"' },
    { name: 'a number', results: '7' },
    { name: 'an empty list', results: '[]' },
    { name: 'brackets without end', results: '['.repeat(100_000) + ']'.repeat(100_000) },
  ])('with $name as results is documents', ({ results }) => {
    const text = `---QUERY---\nq\n---RESULTS---\n${results}\n---ANALYSIS---\nNothing there.`;
    expect(items(text)).toEqual([
      {
        kind: 'visualization',
        shape: 'documents',
        data: { content: 'Nothing there.', agent: 'GraphExplorerAgent' },
      },
    ]);
  });

  test('without an analysis shows what stands before, or the results as they are', () => {
    expect(items('Before.\n---RESULTS---\nraw')).toMatchObject([{ data: { content: 'Before.' } }]);
    expect(items('---RESULTS---\nraw')).toMatchObject([{ data: { content: 'raw' } }]);
  });

  test('with hits of a search is documents that hold them', () => {
    const hits = [{ score: 2.5, title: 'Runbook 7', content: 'Reboot.', chunk_id: 'c1' }];
    const text = `---QUERY---\nreboot\n---RESULTS---\n${JSON.stringify(hits)}\n---ANALYSIS---\nReboot it.`;
    expect(items(text)).toMatchObject([
      { shape: 'documents', data: { content: 'Reboot it.', searchHits: hits } },
    ]);
  });

  test('finds JSON among words', () => {
    const text = '---QUERY---\nq\n---RESULTS---\nHere: {"columns":["a"],"data":[{"a":"}"}]} (1 row)';
    expect(items(text)).toMatchObject([{ shape: 'graph', data: { data: [{ a: '}' }] } }]);
  });

  test('tolerates spaces around markers, and knows them at the start of a line only', () => {
    expect(items('  --- QUERY ---\nq\n ---RESULTS--- {"columns":[],"data":[]}')).toMatchObject([
      { shape: 'graph' },
    ]);
    expect(readSections('They write ---QUERY--- before it.', 'a')).toBeUndefined();
    expect(readSections('---Results---\n---QUERY', 'a')).toBeUndefined();
    expect(readSections('', 'a')).toBeUndefined();
  });
});

describe('citations', () => {
  const cited = (text: string): unknown[] =>
    items(`---CITATIONS---\n${text}\n---ANALYSIS---\nSo.`).filter(({ kind }) => kind === 'citation');

  test('stand beside documents, which carry them as they were', () => {
    const text = '---CITATIONS---\n- Runbook 7\n---ANALYSIS---\nReboot it.';
    expect(items(text)).toEqual([
      {
        kind: 'visualization',
        shape: 'documents',
        data: { content: 'Reboot it.', agent: 'GraphExplorerAgent', citations: '- Runbook 7' },
      },
      { kind: 'citation', title: 'Runbook 7' },
    ]);
  });

  test.for<{ name: string; text: string; citation: object }>([
    { name: 'a bullet', text: '* Runbook 7', citation: { title: 'Runbook 7' } },
    { name: 'a number', text: '[1] Ticket INC-9', citation: { title: 'Ticket INC-9' } },
    {
      name: 'a link with words',
      text: '1. [Runbook](https://x.test/a_b) – «Reboot»',
      citation: { title: 'Runbook', url: 'https://x.test/a_b', quote: '«Reboot»' },
    },
    {
      name: 'an address after a title',
      text: 'Runbook: https://x.test/a',
      citation: { title: 'Runbook', url: 'https://x.test/a' },
    },
    {
      name: 'an address alone',
      text: 'https://x.test/a',
      citation: { title: 'https://x.test/a', url: 'https://x.test/a' },
    },
    { name: 'a link that would run', text: '[Click](javascript:alert(1))', citation: { title: 'Click' } },
    {
      name: 'JSON',
      text: '[{"title":"T","url":"https://x.test","snippet":"s"}]',
      citation: { title: 'T', url: 'https://x.test', quote: 's' },
    },
    { name: 'JSON of texts', text: '{"citations":["Only a title"]}', citation: { title: 'Only a title' } },
  ])('are read from $name', ({ text, citation }) => {
    expect(cited(text)).toMatchObject([{ kind: 'citation', ...citation }]);
  });

  test('of nothing are none', () => {
    expect(cited(' \n-\n1.')).toEqual([]);
    expect(cited('[]')).toEqual([]);
    expect(cited('[{}]')).toEqual([]);
  });
});

test('long runs of spaces cost no more than other text', () => {
  const spaces = ' '.repeat(300_000);
  expect(
    items(`---RESULTS---\n\`\`\`${spaces}x\n---CITATIONS---\nT${spaces}x\n---ANALYSIS---\na`),
  ).toHaveLength(2);
});

test('any text is read without failing, and what is read can be recorded', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '---QUERY---',
      '---RESULTS---',
      '---CITATIONS---',
      '---ANALYSIS---',
      '```json',
      '{',
      '}]',
    ),
    fc.json({ maxDepth: 3 }),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      for (const item of items(pieces.join('\n'))) expect(Item.safeParse(item).success).toBe(true);
    }),
    { numRuns: 300 },
  );
});
