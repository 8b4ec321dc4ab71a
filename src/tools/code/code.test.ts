import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../run/values.ts';
import { type CodeLimits, codeTool } from './code.ts';
import { failureFrom, recordingContext, toolContract } from '../tool.contract.ts';

toolContract('run_javascript', async () => ({
  tool: codeTool(),
  good: { code: 'console.log("adding"); input.a + input.b', input: { a: 1, b: 2 } },
  slow: { code: 'while (true);' },
  failing: [
    { input: { code: 'let x = ;' }, names: '`code`' },
    { input: { code: 'null.x' }, names: '`code`' },
  ],
  secrets: [import.meta.dirname, 'node_modules', 'wasm'],
}));

const run = (code: string, input: Json = null, limits: Partial<CodeLimits> = {}): Promise<Json> =>
  codeTool({ limits }).run({ code, input }, recordingContext());
const valueOf = async (code: string, input: Json = null): Promise<unknown> => {
  const result = await run(code, input);
  return z.object({ value: z.unknown() }).parse(result).value;
};

test.for([
  { code: '1 + 1', value: 2 },
  { code: 'const x = 20; x * 2', value: 40 },
  { code: 'return 5', value: 5 },
  { code: 'const y = await Promise.resolve(6); return y + 1', value: 7 },
  { code: '(async () => [1, await 2])()', value: [1, 2] },
  { code: 'undefined', value: null },
  { code: '() => 1', value: null },
  { code: '({ a: [1, "ü😀", null, true] })', value: { a: [1, 'ü😀', null, true] } },
  { code: '[NaN, new Date(0)]', value: [null, '1970-01-01T00:00:00.000Z'] },
  { code: 'JSON.stringify = () => "{"; ({ a: 1 })', value: { a: 1 } },
  { code: '// only a comment', value: null },
])('[T40] the value of "$code" is JSON', async ({ code, value }) => {
  expect(await valueOf(code)).toStrictEqual(value);
});

test.for([
  { code: '\n\nnull.x', message: /`code` failed at line 3: TypeError: / },
  { code: 'let a = 1;\nlet b = ;', message: /at line 2: SyntaxError: / },
  { code: 'return 1;\nfoo(', message: /SyntaxError: / },
  { code: 'throw "text"', message: /: text\.$/ },
  { code: 'throw { code: 7 }', message: /: \{"code":7\}\.$/ },
  { code: 'await Promise.reject(new RangeError("far"))', message: /RangeError: far/ },
  { code: 'await new Promise(() => {})', message: /never settles/ },
  { code: '10n', message: /TypeError: / },
  { code: 'const a = []; a[0] = a; a', message: /TypeError: circular/ },
  { code: 'const f = () => f(); f()', message: /stack overflow/ },
  { code: '('.repeat(100_000), message: /`code` failed/ },
  { code: 'throw new Error("two\\nlines")', message: /two lines\.$/ },
])('[T41] $code fails with its line', async ({ code, message }) => {
  expect(await failureFrom(run(code))).toMatchObject({
    code: 'malformed',
    message: expect.stringMatching(message),
  });
});

test('[T42] what is logged is heard at once, and given with the result', async () => {
  const context = recordingContext();
  const code = 'console.log("a", { b: 1 }, [undefined], 2n); console.error(new Error("c"))';
  expect(await codeTool().run({ code }, context)).toStrictEqual({
    value: null,
    logged: 'a {"b":1} [null] 2\nError: c\n',
  });
  expect(context.said).toStrictEqual(['a {"b":1} [null] 2\n', 'Error: c\n']);
});

test('[T43] output is bounded, and what is cut is said', async () => {
  const context = recordingContext();
  const code = 'for (let i = 0; i < 100000; i++) console.log("line", i); "x".repeat(1e6)';
  const result = await codeTool({ limits: { output: 2000, seconds: 60 } }).run({ code }, context);
  expect(result).toMatchObject({
    value: `"${'x'.repeat(1999)}`,
    logged: expect.stringMatching(/^line 0\n[^]*line$/),
    note: expect.stringMatching(/result is cut.*first 2000 characters of the log/),
  });
  expect(context.said.join('')).toHaveLength(2000);
});

test('[T44] [S30] a script that never ends is ended, what it said before is heard', async () => {
  const context = recordingContext();
  const call = codeTool({ limits: { seconds: 3 } }).run({ code: 'console.log("on"); for (;;);' }, context);
  expect(await failureFrom(call)).toMatchObject({
    code: 'timed-out',
    message: expect.stringContaining('`code`'),
  });
  expect(context.said).toStrictEqual(['on\n']);
});

test('[T44] [S30] so are endless logs, jobs, expressions and getters', async () => {
  const scripts = [
    'for (;;) console.log("x")',
    '(function again() { Promise.resolve().then(again) })()',
    '/(a*)*b/.test("a".repeat(100))',
    '({ toJSON() { for (;;); } })',
    'const e = new Error(); Object.defineProperty(e, "message", { get() { for (;;); } }); throw e',
  ];
  const failures = await Promise.all(scripts.map((code) => failureFrom(run(code, null, { seconds: 2 }))));
  expect(failures.map((failure) => failure.code)).toStrictEqual(scripts.map(() => 'timed-out'));
});

test('[T44] a stop ends it in the middle, and no thread is left', async () => {
  await run('1');
  const before = readdirSync('/proc/self/task').length;
  const stop = new AbortController();
  const context = recordingContext(stop.signal);
  const call = failureFrom(codeTool().run({ code: 'console.log(1); for (;;);' }, context));
  await vi.waitUntil(() => context.said.length === 1, { interval: 2 });
  stop.abort();
  expect((await call).code).toBe('rejected');
  await vi.waitUntil(() => readdirSync('/proc/self/task').length <= before, { interval: 5 });
});

const bombs = [
  'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))',
  'const a = []; for (;;) a.push({ x: [1, 2, 3] })',
  'let s = "x"; const a = []; for (;;) { s += s.length < 1e6 ? s : "y"; a.push(s + a.length) }',
  'const m = new Map(); for (let i = 0; ; i++) m.set(i, "v" + i)',
];

test('[T45] [S31] a bomb cannot make the process grow by more than its limit', async () => {
  const script = `
    const { codeTool } = await import('${new URL('./code.ts', import.meta.url).href}');
    const context = { signal: new AbortController().signal, say() {}, attach() {} };
    const run = (code) => codeTool().run({ code }, context).catch((error) => error.failure.message);
    await run('1');
    const before = process.resourceUsage().maxRSS;
    const failures = [];
    for (const code of ${JSON.stringify(bombs)}) failures.push(await run(code));
    console.log(JSON.stringify({ failures, grownBy: process.resourceUsage().maxRSS - before }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const { failures, grownBy } = JSON.parse(output);
  expect(failures).toStrictEqual(
    bombs.map(() => '`code` needed more than its 32 MB of memory; make it hold less.'),
  );
  // Kilobytes. Without the bound these reach over a gigabyte.
  expect(grownBy).toBeLessThan(150_000);
});

test('[T45] a limit that cannot be kept is refused when the tool is made', () => {
  for (const megabytes of [0, 15, 4096, NaN]) {
    expect(() => codeTool({ limits: { megabytes } })).toThrow(/`megabytes`/);
  }
});

test('[T46] [S32] no way of making a function finds anything of the host', async () => {
  const attempts = [
    '[].constructor.constructor("return typeof process")()',
    '(function(){}).constructor("return typeof require")()',
    '(function*(){}).constructor("yield typeof process")().next().value',
    'console.log.constructor("return typeof process")()',
    'Object.getPrototypeOf(console.log).constructor("return typeof Worker")()',
    'Reflect.construct(Function, ["return typeof postMessage"])()',
    'new Proxy(Function, {}).constructor("return typeof WebAssembly")()',
    'eval("typeof process")',
    '(0, eval)("typeof module")',
    ...['fetch', 'XMLHttpRequest', 'Deno', 'std', 'os', 'setTimeout', 'structuredClone'].map(
      (name) => `typeof ${name}`,
    ),
  ];
  const found = await valueOf('input.map((attempt) => (0, eval)(attempt))', attempts);
  expect(found).toStrictEqual(attempts.map(() => 'undefined'));
});

test('[T46] [S33] nothing can be imported', async () => {
  const code = 'Promise.all(input.map((name) => import(name).then(() => "loaded", () => "refused")))';
  const names = ['fs', 'node:fs', './code.worker.ts', 'std', 'os'];
  expect(await valueOf(code, names)).toStrictEqual(names.map(() => 'refused'));
});

test('[T46] [S32] [S33] only console is there beside the language, and it hides no host object', async () => {
  const code = `
    const seen = new Set();
    const walk = (value, path) => {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return [];
      seen.add(value);
      return Reflect.ownKeys(value).flatMap((key) => {
        const { value: inner } = Object.getOwnPropertyDescriptor(value, key) ?? {};
        return [path + '.' + String(key), ...walk(inner, path + '.' + String(key))];
      }).concat(walk(Object.getPrototypeOf(value), path + '.^'));
    };
    walk(globalThis, '').filter((name) => /process|require|env|worker|post|port|fetch|socket|wasm|host/i.test(name))`;
  expect(await valueOf(code)).toStrictEqual([]);
  const own = await valueOf('Object.keys(globalThis).filter((key) => typeof globalThis[key] === "object")');
  expect(own).toStrictEqual(['console', 'input']);
});

test('[T46] [S32] [S44] keys like __proto__ cross as data and change nothing here', async () => {
  const input: Json = JSON.parse('{"__proto__":{"polluted":1}}');
  await run(
    'const r = JSON.parse(\'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\'); r',
    input,
  );
  expect({}).not.toHaveProperty('polluted');
});

test('[T47] the clock stands still in UTC, and random numbers follow it', async () => {
  const code =
    '[Date.now(), new Date(2020, 0, 1).toISOString(), new Date().getTimezoneOffset(), Math.random()]';
  const at = (now: number) => codeTool({ now: () => now }).run({ code }, recordingContext());
  const zone = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  try {
    const first = await at(1e12);
    expect(first).toMatchObject({ value: [1e12, '2020-01-01T00:00:00.000Z', 0, expect.any(Number)] });
    expect(await at(1e12)).toStrictEqual(first);
    expect(await at(1e12 + 1)).not.toStrictEqual(first);
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('[T48] twenty at the same time do not mix', async () => {
  const calls = Array.from({ length: 20 }, async (_, i) => {
    const context = recordingContext();
    const code = 'globalThis.mine = (globalThis.mine ?? 0) + input; console.log(mine); mine';
    return { result: await codeTool().run({ code, input: i }, context), said: context.said };
  });
  expect(await Promise.all(calls)).toStrictEqual(
    Array.from({ length: 20 }, (_, i) => ({ result: { value: i, logged: `${i}\n` }, said: [`${i}\n`] })),
  );
});

test('[T49] the same holds in a process of its own', async () => {
  const tool = codeTool({ isolation: 'process', limits: { seconds: 2 } });
  expect(await tool.run({ code: '6 * 7' }, recordingContext())).toStrictEqual({ value: 42 });
  expect((await failureFrom(tool.run({ code: 'for (;;);' }, recordingContext()))).code).toBe('timed-out');
});

test('[T72] a result nested without end fails with the depth that is allowed', async () => {
  const code = 'let deep = []; for (let i = 0; i < 5000; i++) deep = [deep]; deep';
  await expect(codeTool().run({ code }, recordingContext())).rejects.toThrow(
    '`code` failed: the result is nested deeper than 200 levels.',
  );
});

test('[T69 S30] twenty at the same time share eight threads, and each gets its result', async () => {
  const waits: string[] = [];
  const context = (i: number) => ({
    ...recordingContext(),
    run: `run-${i % 3}`,
    exempt<T>(wait: Promise<T>, why: string): Promise<T> {
      waits.push(why);
      return wait;
    },
  });
  const called = Array.from({ length: 20 }, (_, i) => codeTool().run({ code: `${i} * 2` }, context(i)));
  expect(await Promise.all(called)).toEqual(called.map((_, i) => ({ value: i * 2 })));
  expect(waits).toHaveLength(12);
  expect(waits[0]).toBe('«run_javascript» waits: 8 workers are under way, which is as many as there may be.');
});
