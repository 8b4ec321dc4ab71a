import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agent } from './official/point-ag-ui.ts';
import { transport } from './official/point-ai-sdk.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

test.for([
  { name: 'ag-ui', made: agent, path: '/ag-ui/:app' },
  { name: 'ai-sdk', made: transport, path: '/ai-sdk/:app/chat' },
])('the line that points a client of $name at Vitrine is one that is compiled', ({ name, made, path }) => {
  const page = read(`../docs/protocols/${name}.md`);
  const line = read(`./official/point-${name}.ts`).trim();
  expect(page).toContain(`\`\`\`ts\n${line}\n\`\`\``);
  expect(page).toContain(`POST ${path}`);
  expect(JSON.stringify(made)).toContain(path.replace(':app', 'tour'));
});
