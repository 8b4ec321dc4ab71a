import { waitingForPerson } from '../run/notices.ts';
import { undecidedApprovals, type RunTree } from '../run/tree.ts';
import type { Given } from './command.ts';
import { visibleLine } from './terminal/escape.ts';

/** How somebody would type a command here: as they typed this one. */
export function hint(given: Given, ...words: readonly string[]): string {
  const data = given.text('data');
  const server = given.text('server');
  const place = data === undefined ? [] : ['--data', quoted(data)];
  const far = server === undefined ? [] : ['--server', quoted(server)];
  return [...typed(process.env), ...words, ...place, ...far].join(' ');
}

/** A checkout of Vitrine has a script for it, other projects have the package, and a shell may have the command. */
function typed(surroundings: NodeJS.ProcessEnv): readonly string[] {
  const by = surroundings['npm_lifecycle_event'];
  if (by === undefined) return ['vitrine'];
  const isCheckout = by !== 'npx' && surroundings['npm_package_name'] === 'vitrine';
  return isCheckout ? ['npm', 'run', 'vitrine', '--'] : ['npx', 'vitrine'];
}

/** What a run waits for, and how to answer. */
export function waitingHint(given: Given, run: string, tree: RunTree): string[] {
  const asked = undecidedApprovals(tree);
  if (asked.length === 0) {
    const { code, message = 'it is paused' } = tree.notices.at(-1) ?? {};
    return [
      `Run ${run} waits: ${visibleLine(message)}`,
      ...(code === waitingForPerson ? [`  ${hint(given, 'approvals')}`] : []),
      `  ${hint(given, 'resume', run)}`,
    ];
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
