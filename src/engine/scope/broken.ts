import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { failureOf, RunError, type Failure } from '../../run/failure.ts';
import { present } from '../../run/tree.ts';

/** Everything of ours, as stacks name it. */
const ours = fileURLToPath(new URL('../..', import.meta.url));
/** Where tools and flows of others are called: two functions, and all of what calls them in threads. */
const edges = /^(?:async )?(?:owned|orStopped) \(|\/killable\.worker\.[jt]s$/;
/** Characters of what an exception says. */
const longest = 2_000;

/**
 * What something that was thrown stands for. An exception of a tool, a flow or a gateway that somebody else wrote is told as
 * theirs, with its line: whoever wrote it, and the model that called it, can do something about it. What broke in code of
 * ours is a bug of ours, and of that clients learn nothing.
 */
export function failureIn(name: string, thrown: unknown): Failure {
  if (thrown instanceof RunError) return thrown.failure;
  const frame = throwerOf(thrown);
  if (frame?.isOurs) return failureOf(thrown);
  return theirs(`«${name}» broke`, thrown, frame);
}

/** The same of what code of somebody else left behind, where nobody could catch it. */
export function strayIn(name: string, thrown: unknown): Failure {
  const what = `«${name}» left an error that nobody caught`;
  const frame = throwerOf(thrown);
  if (frame?.isOurs) return { code: 'internal', message: `${what}; the log has the details.` };
  return theirs(what, thrown, frame);
}

function theirs(what: string, thrown: unknown, frame: Frame | undefined): Failure {
  const message = `${what}: ${saidBy(thrown).slice(0, longest).toWellFormed()}`;
  return { code: 'internal', message, ...present({ where: frame && placeOf(frame) }) };
}

function saidBy(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return inspect(thrown, { customInspect: false, maxStringLength: longest });
}

/** Whether code took part that is neither ours, nor a library's, nor Node's. */
export function isForeign(thrown: unknown): boolean {
  return framesOf(thrown).some(({ isOurs }) => !isOurs);
}

interface Frame {
  readonly isOurs: boolean;
  /** Code of ours that called code of others and waits for it. */
  readonly isEdge: boolean;
  readonly file: string;
  readonly line: string;
}

/** Who threw it, if that can be told: what failed in a library or in Node may have on its stack only those of us who waited. */
function throwerOf(thrown: unknown): Frame | undefined {
  const [frame] = framesOf(thrown);
  return frame?.isEdge ? undefined : frame;
}

/** The innermost first. Neither Node nor libraries are anybody's code. */
function framesOf(thrown: unknown): Frame[] {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  // What was thrown stands before them: it may be anything, and as long as it likes.
  const frames = stack.slice(-20_000);
  return [...frames.matchAll(/^ {1,8}at (.{0,200}?[( ])??(file:\/\/)?(\/.{1,1000}?):(\d+):\d+(?=[),]|$)/gm)]
    .map(([, caller = '', scheme, path = '', line = '']) => {
      const file = scheme === undefined ? path : pathOf(`${scheme}${path}`);
      const isOurs = file.startsWith(ours);
      return { isOurs, isEdge: isOurs && edges.test(`${caller}${file}`), file, line };
    })
    .filter(({ isOurs, file }) => isOurs || !file.includes('/node_modules/'));
}

/** As it is written where it is no address of a file. */
function pathOf(address: string): string {
  try {
    return fileURLToPath(address);
  } catch {
    return address;
  }
}

/** Enough to find it: how the rest of the disk looks is nobody's business. */
function placeOf({ file, line }: Frame): string {
  return `${file.split('/').slice(-2).join('/')}:${line}`;
}
