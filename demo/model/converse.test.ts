import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, stepsOf, talk } from '../../test/conversation.ts';
import type { ConverseRules } from '../../src/flows/converse/course.ts';
import { openAiChatGateway } from '../../src/gateways/chat/openai-chat.ts';
import { codeTool } from '../../src/tools/code/code.ts';
import { documentTools } from '../../src/tools/documents/documents.ts';
import { fileTools } from '../../src/tools/files/files.ts';
import type { Tool } from '../../src/tools/tool.ts';
import type { DemoServer } from '../loopback-server.ts';
import { startModel } from './server.ts';

let server: DemoServer;
const folders: string[] = [];
beforeAll(async () => {
  server = await startModel({ pace: 0 });
});
afterAll(() => server.close());
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-demo-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

async function askAbout(
  text: string,
  tools: readonly Tool[],
  rules: Partial<ConverseRules>,
): Promise<{ answer: string; calls: string[] }> {
  const model = openAiChatGateway({ baseUrl: `${server.url}/v1`, model: 'vitrine-scripted' });
  const { tree, world } = await talk({ model, tools, rules, request: { input: { text } } });
  expect(world.problems).toEqual([]);
  return {
    answer: answerOf(tree),
    calls: stepsOf(tree, 'call').map(({ call }) => `${call?.tool} ${JSON.stringify(call?.arguments)}`),
  };
}

const word = (): string => Math.random().toString(36).slice(2, 8);
const protocols = [
  { name: 'two-stage', rules: { protocol: 'two-stage' } },
  { name: 'unified', rules: { protocol: 'unified' } },
  { name: 'parallel', rules: { protocol: 'two-stage', preset: 'parallel' } },
] as const;

describe.for(protocols)('a converse flow ($name) with the scripted model', ({ rules }) => {
  test('summarises a made-up document and quotes a sentence that stands only there', async () => {
    const secret = `The lantern of ${word()} burns at ${word()} for 17 nights.`;
    const root = folderOf({
      'README.md': '# Read me\n\nNothing to see here.',
      'notes/todo.md': '# To do\n\nBuy milk.',
      'design.md': `# The design\n\nThis is how it works.\n\n## Light\n\n${secret} Nobody knows why.\n\n\`\`\`js\nno.sentence();\n\`\`\`\n`,
    });
    const { answer, calls } = await askAbout(
      'summarise the design document in ./docs',
      fileTools({ root }),
      rules,
    );
    expect(answer).toContain(secret);
    expect(answer).toContain('design.md');
    expect(answer).not.toContain('no.sentence');
    expect(calls).toEqual([expect.stringMatching(/^list_files/), 'read_file {"path":"design.md"}']);
  });

  test('quotes from a document that is too long to be shown whole', async () => {
    const opening = `The ${word()} engine never sleeps.`;
    const body = Array.from(
      { length: 900 },
      (_, i) => `Sentence ${i} is about ${word()} and nothing else.`,
    ).join(' ');
    const root = folderOf({ 'architecture.md': `# Architecture\n\n${opening}\n\n${body}` });
    const { answer } = await askAbout('Please summarize the architecture', fileTools({ root }), rules);
    expect(answer).toContain(opening);
    if (rules.protocol === 'two-stage') expect(answer).toContain('Only its beginning');
  });

  test('finds the document by what it says when no name fits', async () => {
    const secret = `A ${word()} gyroscope costs 40 dollars.`;
    const root = folderOf({ 'one.md': '# One\n\nApples and pears.', 'two.md': `# Two\n\n${secret}` });
    const { answer, calls } = await askAbout(
      'Give me an overview of the gyroscope',
      fileTools({ root }),
      rules,
    );
    expect(answer).toContain(secret);
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['list_files', 'search_files', 'read_file']);
  });

  test('knows that a design may be called an architecture, and prefers the name that was said', async () => {
    const files = { 'architecture.md': '# A\n\nThe middle is pure.', 'glossary.md': '# G\n\nWords.' };
    const meant = await askAbout(
      'summarise the design document',
      fileTools({ root: folderOf(files) }),
      rules,
    );
    expect(meant.answer).toContain('The middle is pure.');
    const both = { ...files, 'design.md': '# D\n\nCommit, then show.' };
    const said = await askAbout('summarise the design document', fileTools({ root: folderOf(both) }), rules);
    expect(said.answer).toContain('Commit, then show.');
  });

  test('lists the files of a folder, and says where a word stands', async () => {
    const needle = word();
    const root = folderOf({ 'a.txt': `first\nthe ${needle} line`, 'deep/b.txt': 'nothing' });
    expect((await askAbout('Which files are there?', fileTools({ root }), rules)).answer).toContain(
      '`deep/b.txt` (7 bytes)',
    );
    const found = await askAbout(`Find "${needle}" in the files`, fileTools({ root }), rules);
    expect(found.answer).toContain(`\`a.txt\`, line 2: “the ${needle} line”`);
  });

  test('answers from documents with citations', async () => {
    const secret = `Maintenance windows open on ${word()} at 03:00.`;
    const root = folderOf({
      'handbook.md': `# Handbook\n\n## Windows\n\n${secret}\n`,
      'menu.md': '# Menu\n\nSoup.',
    });
    const { answer } = await askAbout(
      'What do the documents say about maintenance windows?',
      documentTools({ root }),
      rules,
    );
    expect(answer).toContain(`“${secret}” [1]`);
    expect(answer).toMatch(/\[1\] Handbook › Windows \(handbook\.md#L\d+-L\d+\)/);
  });

  test('calculates by running code, exactly', async () => {
    const n = Math.floor(Math.random() * 91);
    const { answer } = await askAbout(`Calculate fibonacci(${n})`, [codeTool()], rules);
    expect(answer).toContain(`fibonacci(${n}) = ${fibonacci(n)}**`);
  });

  test('says so, and what can be asked, when no rule matches', async () => {
    const { answer, calls } = await askAbout(
      'Sing me a song',
      [codeTool(), ...fileTools({ root: folderOf({}) })],
      rules,
    );
    expect(calls).toEqual([]);
    expect(answer).toMatch(/scripted model, and none of my rules matches/);
    expect(answer).toContain('Calculate fibonacci(10)');
    expect(answer).toContain('summarise one of them');
    expect(answer).not.toContain('users');
  });
});

function fibonacci(n: number): bigint {
  let [a, b] = [0n, 1n];
  for (let i = 0; i < n; i += 1) [a, b] = [b, a + b];
  return a;
}
