// What programs can see of the package, told from its declarations: what is exported as it is written, and of whatever that
// refers to a short hash, so that no change of it goes unseen.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Modules, type Named } from './api-modules.ts';

const opening = `# The public API

What programs can see of the package. \`npm run api\` makes this from the declarations; a test fails where it is another.
`;

export function apiReport(root: string): string {
  const modules = new Modules();
  const exported: Named[] = [];
  const parts = entriesIn(root).map(({ name, file }) => {
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

/** What the package is imported by, and where that is. */
function entriesIn(root: string): readonly Named[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  return Object.entries(exports).flatMap(([path, { types }]) => {
    const source = types?.replace('./dist/', '').replace('.d.ts', '.ts');
    return source === undefined ? [] : [{ name: join(name, path), file: join(root, source) }];
  });
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types?: string }>>;
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
