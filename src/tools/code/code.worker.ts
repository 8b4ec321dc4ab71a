import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  RELEASE_SYNC,
} from 'quickjs-emscripten';
import { deepest, isTooDeep } from '../../run/depth.ts';
import type { Json } from '../../run/values.ts';
import type { Script, ScriptOutcome } from './message.ts';
import type { ToolContext } from '../tool.ts';

// Node has it; its types do not.
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
};

/**
 * Runs JavaScript in QuickJS. Only text crosses: JSON in, JSON out, and lines of `console`. It is loaded in a thread that
 * runs one script and is killed from outside, so nothing here needs to be given back.
 */
export async function evaluate(script: Script, context: ToolContext): Promise<ScriptOutcome> {
  freezeClock(script.now);
  // QuickJS's own memory limit looks at single allocations only; what bounds the sum is the memory it lives in.
  const memory = new WebAssembly.Memory({ initial: 256, maximum: script.pages });
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory: memory }));
  const log = logOf(script.output, context);
  try {
    return run(engine.newContext(), script, log);
  } catch (error) {
    // Without memory QuickJS cannot even make the error, and breaks in one way or another.
    if (memory.buffer.byteLength > 0.9 * script.pages * 65_536) return { kind: 'memory' };
    return { kind: 'threw', message: error instanceof Error ? error.message : 'the sandbox broke' };
  } finally {
    log.flush();
  }
}

interface Log {
  readonly text: () => string;
  readonly isCut: () => boolean;
  readonly add: (line: string) => void;
  readonly flush: () => void;
}

function run(vm: QuickJSContext, script: Script, log: Log): ScriptOutcome {
  const tools = vm.unwrapResult(vm.evalCode(prelude, 'prelude.js'));
  const host = vm.newFunction('log', (line) => log.add(vm.getString(line)));
  const made = vm.unwrapResult(vm.callFunction(tools, vm.undefined, host));
  const ask = (name: string, value: QuickJSHandle): string | undefined => {
    const answer = vm.unwrapResult(vm.callFunction(vm.getProp(made, name), vm.undefined, value));
    return vm.typeof(answer) === 'string' ? vm.getString(answer) : undefined;
  };
  ask('give', vm.newString(JSON.stringify(script.input)));

  const { value, error } = settle(vm, script.code);
  if (error) return describe(ask('failure', error));
  const stringified = vm.callFunction(vm.getProp(made, 'result'), vm.undefined, value);
  if (stringified.error) return describe(ask('failure', stringified.error));
  const isText = vm.typeof(stringified.value) === 'string';
  return finish(isText ? vm.getString(stringified.value) : 'null', script.output, log);
}

/** The value of the last expression, or what a top-level `return` or `await` makes of it. */
function settle(vm: QuickJSContext, code: string): { value: QuickJSHandle; error?: QuickJSHandle } {
  const none = vm.undefined;
  // The opening stays on the first line, so that lines are the same in both forms.
  const wrapped = `(async () => { ${code}\n})()`;
  const asScript = vm.evalCode(code, file, { compileOnly: true });
  if (asScript.error && vm.evalCode(wrapped, file, { compileOnly: true }).error)
    return { value: none, error: asScript.error };
  const evaluated = vm.evalCode(asScript.error ? wrapped : code, file);
  if (evaluated.error) return { value: none, error: evaluated.error };
  const jobs = vm.runtime.executePendingJobs();
  if (jobs.error) return { value: none, error: jobs.error };
  const state = vm.getPromiseState(evaluated.value);
  if (state.type === 'fulfilled') return { value: state.value };
  if (state.type === 'rejected') return { value: none, error: state.error };
  return {
    value: none,
    error: vm.newError('the promise never settles; there are no timers and no network here'),
  };
}

function describe(failure: string | undefined): ScriptOutcome {
  const { message, stack }: { message: string; stack: string } = JSON.parse(
    failure ?? '{"message":"an error","stack":""}',
  );
  if (message === 'InternalError: out of memory' || message === 'null') throw new Error('out of memory');
  const line = new RegExp(`${file}:(\\d+)`).exec(stack)?.[1];
  return { kind: 'threw', message, ...(line && { line: Number(line) }) };
}

function tooDeep(): ScriptOutcome {
  return { kind: 'threw', message: `the result is nested deeper than ${deepest} levels` };
}

function finish(text: string, limit: number, log: Log): ScriptOutcome {
  const isCut = text.length > limit;
  if (!isCut && isTooDeep(JSON.parse(text))) return tooDeep();
  const value: Json = isCut ? text.slice(0, limit).toWellFormed() : JSON.parse(text);
  const cut = [
    isCut &&
      `the result is cut: the first ${limit} of ${text.length} characters of its JSON are given as text`,
    log.isCut() && `only the first ${limit} characters of the log are given`,
  ].filter((note) => note !== false);
  return { kind: 'value', value, logged: log.text(), cut };
}

const file = 'code.js';

// Runs before the code, and takes what it needs from JSON and String while they are still what they seem.
const prelude = `(log) => {
  const { stringify, parse } = JSON;
  const { String, Error } = globalThis;
  const text = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return String(value);
    try { return stringify(value) ?? String(value); } catch { return String(value); }
  };
  const write = (...values) => log(values.map(text).join(' ') + '\\n');
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write };
  return {
    give: (json) => { globalThis.input = parse(json); },
    result: (value) => stringify(value),
    failure: (error) => error instanceof Error
      ? stringify({ message: String(error.name) + ': ' + String(error.message), stack: String(error.stack) })
      : stringify({ message: text(error), stack: '' }),
  };
}`;

// A line that is only shown when the script ends would be lost with a script that is killed, but a million single lines
// would be as many entries: so the first ones go out at once, and later ones in larger pieces.
function logOf(limit: number, context: ToolContext): Log {
  let [text, waiting, lines, isCut] = ['', '', 0, false];
  const flush = (): void => {
    if (waiting !== '') context.say(waiting);
    waiting = '';
  };
  return {
    text: () => text,
    isCut: () => isCut,
    flush,
    add(line) {
      if (isCut) return;
      isCut = text.length + line.length > limit;
      const shown = line.slice(0, limit - text.length).toWellFormed();
      text += shown;
      waiting += shown;
      lines += 1;
      if (lines <= 100 || waiting.length > 4096 || isCut) flush();
    },
  };
}

// The same script at the same time gives the same: QuickJS takes the date, the zone and the seed of its random numbers
// from these. A clock that stands still also measures nothing.
function freezeClock(now: number): void {
  Date.now = () => now;
  performance.now = () => 0;
  for (const part of ['Date', 'Day', 'FullYear', 'Hours', 'Minutes', 'Month', 'Seconds']) {
    Reflect.set(Date.prototype, `get${part}`, Reflect.get(Date.prototype, `getUTC${part}`));
  }
  Reflect.set(Date.prototype, 'getTimezoneOffset', () => 0);
}
