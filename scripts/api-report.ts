// What programs can see of the package, told from its declarations: what is exported as it is written, and of whatever that
// refers to a short hash, so that no change of it goes unseen.
import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { Modules, type Named } from './api-modules.ts';

/** What the package is imported by, and where that is. */
const entries = {
  vitrine: 'src/index.ts',
  'vitrine/client': 'src/client/client.ts',
  'vitrine/testing': 'src/testing.ts',
};

const opening = `# The public API

What programs can see of the package. \`npm run api\` makes this from the declarations; a test fails where it is another.
`;

export function apiReport(root: string): string {
  const modules = new Modules();
  const exported: Named[] = [];
  const parts = Object.entries(entries).map(([name, path]) => {
    const file = join(root, path);
    const names = [...modules.exportsOf(file).keys()].toSorted();
    const told = names.map((each) => {
      const source = modules.source({ file, name: each }) ?? { file, name: each };
      exported.push(source);
      return `### ${each}\n\n\`\`\`ts\n${textOf(modules, source)}\n\`\`\``;
    });
    return `## \`${name}\`\n\n${told.join('\n\n')}\n`;
  });
  return `${[opening, ...parts, reached(modules, exported, root)].join('\n')}`;
}

function textOf(modules: Modules, source: Named): string {
  return modules
    .declared(source)
    .map(({ text }) => text)
    .join('\n');
}

/** What exported declarations refer to and nobody can import. */
function reached(modules: Modules, exported: readonly Named[], root: string): string {
  const seen = new Map(exported.map((source) => [keyOf(source), source]));
  const waiting = [...exported];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const { refersTo } of modules.declared(next)) {
      for (const name of refersTo) {
        const source = modules.source({ file: next.file, name });
        if (!source || seen.has(keyOf(source))) continue;
        seen.set(keyOf(source), source);
        waiting.push(source);
      }
    }
  }
  for (const source of exported) seen.delete(keyOf(source));
  const lines = [...seen.values()].map((source) => {
    const hash = createHash('sha256').update(textOf(modules, source)).digest('hex').slice(0, 12);
    return `- \`${source.name}\` of ${relative(root, source.file)}: ${hash}`;
  });
  return `## What these refer to\n\n${lines.toSorted().join('\n')}\n`;
}

function keyOf({ file, name }: Named): string {
  return `${file} ${name}`;
}
