import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { start, vitrine, type Finished, type Running } from '../vitrine.ts';

let cwd = '';
const running: Running[] = [];
beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), 'vitrine-cli-'))));
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(cwd, { recursive: true });
});

const type = (...words: string[]): Promise<Finished> => vitrine(words, { cwd });

/** A run of the demo world that needs no other process. */
const tour = (text: string, ...more: string[]): Promise<Finished> =>
  type('run', text, '--app', 'tour', ...more);

function begin(...words: string[]): Running {
  const begun = start(words, { cwd });
  running.push(begun);
  return begun;
}

/** A file that tools of the test look for, and a ledger they write to. */
const gate = (): string => join(cwd, 'gate');
const ledger = (): string[] => lines(readFileSync(join(cwd, 'ledger.txt'), 'utf8'));
const demoLedger = (): string[] => lines(readFileSync(join(cwd, '.vitrine', 'tour-ledger.txt'), 'utf8'));

/** An app that waits for the gate, and one that does something once and then waits for it. */
function configure(): void {
  writeFileSync(
    join(cwd, 'vitrine.config.ts'),
    `import { appendFileSync, existsSync } from 'node:fs';
     import { setTimeout } from 'node:timers/promises';
     const schema = { type: 'object' };
     async function through(signal: AbortSignal) {
       while (!existsSync('gate')) await setTimeout(10, undefined, { signal });
       return null;
     }
     const tools = [
       { name: 'wait', description: '', schema, effect: 'pure', run: (_: unknown, { signal }: any) => through(signal) },
       { name: 'pay', description: '', schema, effect: 'once', async run(_: unknown, { signal, say }: any) {
         appendFileSync('ledger.txt', 'paid\\n');
         say('paid');
         return through(signal);
       } },
     ];
     const app = (name: string, tool: string) => ({
       flow: { name, version: '1', run: async (scope: any, { text }: any) => {
         await scope.call(tool, {});
         await scope.call('wait', {}, { title: 'then' });
         return text + ' went through';
       } },
     });
     export default { tools, apps: { held: app('held', 'wait'), paying: app('paying', 'pay'), quick: { flow: { name: 'quick', version: '1', run: async () => 'done' } } }, defaultApp: 'held' };`,
  );
}

async function onlyRun(): Promise<{ readonly run: string; readonly status: string }> {
  const { out } = await type('runs', '--json');
  const [first, ...others] = lines(out);
  expect(others).toEqual([]);
  return JSON.parse(first ?? '') as { run: string; status: string };
}

/** The run that was begun, as its first line names it. */
function runIn(out: string): string {
  return /^run_\w+/.exec(out)?.[0] ?? expect.fail(`no run in: ${out}`);
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

describe('vitrine run, piped', () => {
  test('prints a line as each step opens and closes, and the answer last', async () => {
    const { code, out } = await tour('Move it', '--yes');
    expect(code).toBe(0);
    expect(out).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(out).toMatch(/^run_\w+ {2}Move it\n {2}● Understand the request\n/);
    expect(out).toContain('      ✓ list_subscribers {"service":"orders-db"}');
    expect(lines(out).at(-1)).toMatch(/^The maintenance of orders-db is planned .* real one in its place\.$/);
    expect(demoLedger().length).toBe(1);
  });

  test('with --json prints the entries and nothing else', async () => {
    const { code, out, error } = await tour('Move it', '--json', '--yes');
    expect([code, error]).toEqual([0, expect.stringMatching(/^The model of the demo is a script.*\n$/)]);
    const entries = lines(out).map(
      (line) => JSON.parse(line) as { seq: number; at: number; event: { type: string } },
    );
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => i + 1));
    for (const entry of entries) expect(Object.keys(entry)).toEqual(['seq', 'at', 'event']);
    expect(entries[0]?.event.type).toBe('run.started');
    expect(entries.at(-1)?.event).toMatchObject({ type: 'run.ended', outcome: 'completed' });
  });

  test('leaves a run that waits for a person, says how to go on, and that is how it goes on', async () => {
    const { code, error } = await tour('Move it');
    expect(code).toBe(3);
    const { run, status } = await onlyRun();
    expect(status).toBe('waiting');
    expect(error).toContain(`vitrine approve ${run}.a1`);
    const asked = await type('approvals');
    expect(asked.out).toMatch(new RegExp(`◆ ${run}\\.a1~[0-9a-f]{32}  notify`));
    expect(asked.out).toContain('"message": "orders-db will be down for maintenance');
    const approved = await type('approve', run.slice(0, 14), '--why', 'fine');
    expect([approved.code, approved.out]).toEqual([0, `${run}.a1: approve.\n`]);
    expect(approved.error).toContain(`vitrine resume ${run}`);
    const resumed = await type('resume', run);
    expect(lines(resumed.out).at(-1)).toContain('3 people were told');
    expect(demoLedger().length).toBe(1);
    const other = await type('reject', `${run}.a1`);
    expect([other.code, other.error]).toEqual([1, expect.stringMatching(/decided|has ended/)]);
  });

  test('what is rejected does not happen, and what is edited happens as edited', async () => {
    const { out: began } = await tour('one');
    await type('reject', runIn(began), '--why', 'not now');
    const rejected = await type('resume');
    expect(rejected.out, rejected.error).toMatch(/nobody was told: \w+ rejected «notify»: not now/);
    expect(existsSync(join(cwd, '.vitrine', 'tour-ledger.txt'))).toBe(false);
    const server = begin('serve', '--port', '0');
    await server.until('listens on');
    await tour('two');
    const { out } = await type('runs', '--json', '--unfinished');
    const { run } = JSON.parse(out) as { run: string };
    const edited = await type('edit', `${run}.a1`, '{"people":["me@here"],"message":"hi"}');
    expect(edited.code).toBe(0);
    // The command has told the server; the server does it.
    await vi.waitFor(() => expect(demoLedger()).toEqual([`${run} me@here "hi"`]));
  });

  test('text from outside cannot act on the terminal', async () => {
    const evil = '\u001b[31mred\u001b]0;title\u0007\u009b2J';
    const run = runIn((await tour(evil, '--yes')).out);
    const shown = [
      await type('runs'),
      await type('show', run),
      await type('follow', run),
      await type('show', run, '--json'),
    ];
    for (const { out, error, code } of shown) {
      expect(code).toBe(0);
      expect(out + error).not.toMatch(/(?!\n)\p{Cc}/u);
    }
    expect(shown[0]?.out).toContain('\\x1b[31mred');
  });
});

describe('a second terminal', () => {
  test('reads while the first one works', async () => {
    configure();
    const first = begin('run', 'It');
    await first.until('● wait {}');
    const { run, status } = await onlyRun();
    expect(status).toBe('running');
    const shown = await type('show', run, '--json');
    const tree = JSON.parse(shown.out) as {
      run: string;
      status: string;
      steps: { title: string; status: string }[];
    };
    expect(tree).toMatchObject({ run, status: 'running', steps: [{ title: 'wait', status: 'running' }] });
    const following = begin('follow', run);
    await following.until('● wait {}');
    writeFileSync(gate(), '');
    const [one, two] = await Promise.all([first.ended, following.ended]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(two.out).toBe(one.out);
    expect(lines(two.out).at(-1)).toBe('It went through');
  });

  test('stops what the first one works on', async () => {
    configure();
    const first = begin('run', 'It');
    const run = runIn(await first.until('● wait {}'));
    const stopped = await type('stop', run, '--why', 'enough');
    expect([stopped.code, stopped.out]).toEqual([0, `Run ${run} is stopped.\n`]);
    const { code, out } = await first.ended;
    expect(code).toBe(130);
    expect(out).toContain(': enough');
    expect((await onlyRun()).status).toBe('stopped');
  });

  test('pauses and resumes what the first one works on', async () => {
    configure();
    const first = begin('run', 'It');
    const run = runIn(await first.until('● wait {}'));
    expect((await type('pause', run)).out).toContain(`Run ${run} is paused`);
    await first.until('‖ paused by');
    expect((await type('pause', run)).code).toBe(1);
    writeFileSync(gate(), '');
    await first.until('✓ wait');
    expect((await onlyRun()).status).toBe('paused');
    const resumed = begin('resume', run);
    expect((await resumed.ended).code).toBe(0);
    const { code, out } = await first.ended;
    expect(code).toBe(0);
    expect(lines(out).at(-1)).toBe('It went through');
  });

  test('tells a paused run something, and answers it, without waiting for somebody to resume it', async () => {
    const { code, out } = await tour('Plan');
    expect(code).toBe(3);
    const run = runIn(out);
    await type('pause', run);
    const told = await type('message', run, 'and hurry');
    expect([told.code, told.out]).toEqual([0, `Run ${run} has the message.\n`]);
    expect(told.error).toBe(`It is paused. Go on with: vitrine resume ${run}\n`);
    const approved = await type('approve', run);
    expect([approved.code, approved.out]).toEqual([0, `${run}.a1: approve.\n`]);
    expect((await onlyRun()).status).toBe('paused');
    expect((await type('resume', run)).code).toBe(0);
  });

  test('[V264] hands its run to the process that holds the folder, and takes it up if that process dies', async () => {
    configure();
    const first = begin('run', 'First');
    await first.until('● wait {}');
    const second = begin('run', 'Second');
    await second.until('● wait {}');
    first.child.kill('SIGKILL');
    await second.until('it goes on here');
    writeFileSync(gate(), '');
    const { code, out } = await second.ended;
    expect(code).toBe(0);
    expect(lines(out).at(-1)).toBe('Second went through');
    const { out: left } = await type('runs', '--unfinished');
    expect(left).toMatch(/◌ .*left .* First/);
    const shown = await type('show', /run_\w+/.exec(left)?.[0] ?? '');
    expect(shown.error).toContain('Nobody works on it at the moment. Go on with: vitrine resume');
    expect((await type('resume')).out).toContain('First went through');
  });

  test('the first one finishes what it has begun for the second', async () => {
    configure();
    const first = begin('run', 'First', '--app', 'quick');
    const second = begin('run', 'Second');
    await Promise.all([second.until('● wait {}'), first.ended.catch(() => {})]);
    writeFileSync(gate(), '');
    expect((await second.ended).code).toBe(0);
  });

  test('is told who holds the folder if that process cannot run its app', async () => {
    configure();
    const first = begin('run', 'It');
    await first.until('● wait {}');
    writeFileSync(
      join(cwd, 'other.json'),
      '{"agents":{"a":{"model":"m"}},"models":{"m":{"baseUrl":"http://127.0.0.1:9/v1","model":"m"}},"apps":{"other":{"flow":"converse","settings":{"agent":"a"}}}}',
    );
    const { code, error } = await type('run', 'x', '--config', 'other.json');
    expect(code).toBe(1);
    expect(error).toContain(
      `Process ${first.child.pid} holds this folder and cannot run «other» (converse@1); it has «held»`,
    );
  });

  test('leaving is not stopping: the first one is told to end, and the run goes on elsewhere', async () => {
    configure();
    const first = begin('run', 'It');
    await first.until('● wait {}');
    first.child.kill('SIGTERM');
    const { code, error } = await first.ended;
    expect(code).toBe(130);
    expect(error).toContain('Go on with: vitrine resume');
    writeFileSync(gate(), '');
    const { out } = await type('resume');
    expect(lines(out).at(-1)).toBe('It went through');
  });
});

describe('after kill -9', () => {
  test('a run goes on where it was, and what may have happened is not done again', async () => {
    configure();
    const first = begin('run', 'It', '--app', 'paying');
    await written('ledger.txt');
    first.child.kill('SIGKILL');
    await first.ended;
    writeFileSync(gate(), '');
    const asked = await type('resume');
    expect(asked.code).toBe(3);
    expect(asked.error).toContain('waits for a person: Did «pay» happen?');
    const { code, out } = await type('resume', '--yes');
    expect(code).toBe(0);
    expect(lines(out).at(-1)).toBe('It went through');
    expect(ledger()).toEqual(['paid']);
    expect((await type('resume')).error).toContain('There is nothing to resume.');
  });

  test('the demo ends with one line in its ledger', async () => {
    const first = start(['run', 'It', '--app', 'tour', '--yes'], { cwd, env: { VITRINE_PACE: '3' } });
    running.push(first);
    await first.until('● read_load');
    first.child.kill('SIGKILL');
    await first.ended;
    const { code, out } = await type('resume', '--yes');
    expect(code).toBe(0);
    expect(out).toContain('  recovered by ');
    expect(demoLedger().length).toBe(1);
    expect((await onlyRun()).status).toBe('completed');
  });

  test('a run whose flow is gone is named, and left', async () => {
    configure();
    const first = begin('run', 'It');
    await first.until('● wait {}');
    first.child.kill('SIGKILL');
    await first.ended;
    rmSync(join(cwd, 'vitrine.config.ts'));
    const { code, error } = await type('resume');
    expect(code).toBe(1);
    expect(error).toContain('needs the flow held@1, which is not known here');
  });
});

describe('bad input', () => {
  test('is answered in a sentence, with exit code 2, and changes nothing', async () => {
    writeFileSync(join(cwd, 'vitrine.config.json'), '{ "apps": { "a": { "flow": "fly" } } }');
    const { code, error, out } = await type('run', 'x');
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain('vitrine.config.json: apps.a.flow: there is no flow «fly»; known: ');
    expect(existsSync(join(cwd, '.vitrine'))).toBe(false);
  });

  test('runs may be named by the beginning of their id, and by nothing that is not enough', async () => {
    await tour('one', '--yes');
    await tour('two', '--yes');
    const { out } = await type('runs', '--json');
    const [two, one] = lines(out).map((line) => (JSON.parse(line) as { run: string }).run);
    const { code, error } = await type('show', 'run_');
    expect(code).toBe(2);
    expect(error).toContain(`«run_» may be any of 2 runs: ${two}, ${one}.`);
    expect((await type('show', (one ?? '').slice(4, -4), '--json')).out).toContain(`"run":"${one}"`);
  });

  test('a folder that cannot be used is told in the words of the store, without a stack', async () => {
    await tour('one', '--yes');
    writeFileSync(join(cwd, '.vitrine', 'vitrine.db'), 'not a database');
    for (const words of [['runs'], ['run', 'two']]) {
      const { code, error } = await type(...words);
      expect(code).toBe(2);
      expect(error).toContain('vitrine.db is not a database of Vitrine');
      expect(error).not.toContain('    at ');
    }
  });
});

/** Wait until there is something in a file. */
async function written(name: string): Promise<void> {
  const found = Promise.withResolvers<void>();
  const look = (): void => {
    if ((statSync(join(cwd, name), { throwIfNoEntry: false })?.size ?? 0) > 0) found.resolve();
  };
  const watcher = watch(cwd, look);
  look();
  await found.promise;
  watcher.close();
}
