import { undecidedApprovals, type RunTree } from '../run/tree.ts';
import type { Given } from './command.ts';
import { visibleLine } from './escape.ts';

/** How somebody would type a command here: as they typed this one. */
export function hint(given: Given, ...words: readonly string[]): string {
  const data = given.text('data');
  const typed =
    process.env['npm_lifecycle_event'] === undefined ? ['vitrine'] : ['npm', 'run', 'vitrine', '--'];
  const server = given.text('server');
  const place = data === undefined ? [] : ['--data', quoted(data)];
  const far = server === undefined ? [] : ['--server', quoted(server)];
  return [...typed, ...words, ...place, ...far].join(' ');
}

/** What a run waits for, and how to answer. */
export function waitingHint(given: Given, run: string, tree: RunTree): string[] {
  const asked = undecidedApprovals(tree);
  if (asked.length === 0) {
    const why = tree.notices.at(-1)?.message ?? 'it is paused';
    return [`Run ${run} waits: ${visibleLine(why)}`, `  ${hint(given, 'resume', run)}`];
  }
  return asked.flatMap(({ approval, title, allowed, schema }) => [
    `Run ${run} waits for a person: ${visibleLine(title)}`,
    `  ${hint(given, 'approve', approval, ...(schema === undefined ? [] : [`--answer '<json>'`]))}`,
    ...(allowed.includes('reject') ? [`  ${hint(given, 'reject', approval, '--why "<reason>"')}`] : []),
    ...(allowed.includes('edit') ? [`  ${hint(given, 'edit', approval, `'<json>'`)}`] : []),
  ]);
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll(`'`, `'\\''`)}'`;
}
