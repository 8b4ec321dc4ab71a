import { fileURLToPath } from 'node:url';
import { failureOf, RunError, type Failure } from '../../run/failure.ts';
import { present } from '../../run/present.ts';

/** Everything of ours, as stacks name it. */
const ours = fileURLToPath(new URL('../..', import.meta.url));
/** Characters of what an exception says. */
const longest = 2_000;

/**
 * What something that was thrown stands for. An exception of a tool, a flow or a gateway that somebody else wrote is told as
 * theirs, with its line: whoever wrote it, and the model that called it, can do something about it. What broke in code of
 * ours is a bug of ours, and of that clients learn nothing.
 */
export function failureIn(name: string, thrown: unknown): Failure {
  if (thrown instanceof RunError) return thrown.failure;
  const [frame] = framesOf(thrown);
  if (frame?.isOurs) return failureOf(thrown);
  const said = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, longest).toWellFormed();
  return {
    code: 'internal',
    message: `«${name}» broke: ${said}`,
    ...present({ where: frame && placeOf(frame) }),
  };
}

/** Whether code took part that is neither ours, nor a library's, nor Node's. */
export function isForeign(thrown: unknown): boolean {
  return framesOf(thrown).some(({ isOurs }) => !isOurs);
}

interface Frame {
  readonly isOurs: boolean;
  readonly file: string;
  readonly line: string;
}

/** The innermost first. Neither Node nor libraries are anybody's code. */
function framesOf(thrown: unknown): Frame[] {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  return [...stack.matchAll(/(?:\(|at |async )(?:file:\/\/)?(\/[^\s()]+?):(\d+):\d+/g)]
    .map(([, file = '', line = '']) => ({ isOurs: file.startsWith(ours), file, line }))
    .filter(({ isOurs, file }) => isOurs || !file.includes('/node_modules/'));
}

/** Enough to find it: how the rest of the disk looks is nobody's business. */
function placeOf({ file, line }: Frame): string {
  return `${file.split('/').slice(-2).join('/')}:${line}`;
}
