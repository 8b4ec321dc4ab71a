import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { vitrine } from '../vitrine.ts';

const bin = fileURLToPath(new URL('../../bin/vitrine.js', import.meta.url));
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';

let cwd = '';
const running: { kill(): void }[] = [];
beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), 'vitrine-live-'))));
afterEach(() => {
  for (const child of running.splice(0)) child.kill();
  rmSync(cwd, { recursive: true, force: true });
});

/** A terminal of util-linux around a command, and hands to type with. */
function terminal(
  command: string,
  pace = '0.2',
): {
  press: (keys: string) => void;
  until: (text: string) => Promise<void>;
  ended: Promise<{ code: number | null; out: string }>;
} {
  const line = `stty cols 90 rows 30; exec '${process.execPath}' '${bin}' ${command}`;
  const env = {
    ...process.env,
    npm_lifecycle_event: undefined,
    VITRINE_PACE: pace,
    TERM: 'xterm',
    NO_COLOR: '1',
    VISUAL: '',
    EDITOR: '',
  };
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.push(child);
  let out = '';
  let seen = 0;
  let look = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    out += piece;
    look();
  });
  const ended = new Promise<{ code: number | null; out: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out }));
  });
  return {
    ended,
    press: (keys) => void child.stdin.write(keys),
    until: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          const place = out.indexOf(text, seen);
          if (place < 0) return;
          seen = place + text.length;
          resolve();
        };
        look();
        void ended.then(() => reject(new Error(`«${text}» never came:\n${out.slice(-2_000)}`)));
      }),
  };
}

async function statuses(): Promise<string[]> {
  const { out } = await vitrine(['runs', '--json'], { cwd });
  return out
    .split('\n')
    .flatMap((line) => (line === '' ? [] : (JSON.parse(line) as { status: string }).status));
}

const hasTerminal = spawnSync('script', ['--version']).status === 0;

describe.skipIf(!hasTerminal)('in a terminal', () => {
  test('the tree is drawn, what is asked is answered there, and the cursor comes back', async () => {
    const { press, until, ended } = terminal('run "Move it" --app tour');
    await until('Understand the request');
    await until('r reject');
    press('a');
    await until('Enter to approve');
    press('fine\r');
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(out).toContain(hideCursor);
    expect(out.lastIndexOf(showCursor)).toBeGreaterThan(out.lastIndexOf(hideCursor));
    const last = out.slice(out.lastIndexOf('└─'));
    expect(out).toContain(': fine');
    expect(last.replaceAll('\r\n', ' ')).toContain('Configure an app to put a real one in its place.');
  });

  test('Ctrl-C asks, and a run that is stopped is stopped for good', async () => {
    const { press, until, ended } = terminal('run "Move it" --app tour');
    await until('r reject');
    press('\u0003');
    await until('Stop this run, or leave it to be resumed?');
    press('s');
    const { code, out } = await ended;
    expect(code).toBe(130);
    expect(out.lastIndexOf(showCursor)).toBeGreaterThan(out.lastIndexOf(hideCursor));
    expect(await statuses()).toEqual(['stopped']);
  });

  test('Ctrl-C twice leaves at once, and the run can be resumed', async () => {
    // Slow enough that it has not come to its question by then.
    const { press, until, ended } = terminal('run "Move it" --app tour', '4');
    await until('Understand the request');
    press('\u0003');
    await until('Stop this run, or leave it to be resumed?');
    press('\u0003');
    const { code, out } = await ended;
    expect(code).toBe(130);
    expect(out).toContain('Go on with: vitrine resume');
    expect(await statuses()).toEqual(['running']);
    expect((await vitrine(['resume', '--yes'], { cwd })).code).toBe(0);
    expect(await statuses()).toEqual(['completed']);
  });

  test('what is put off is left waiting', async () => {
    const { press, until, ended } = terminal('run "Move it" --app tour');
    await until('r reject');
    press('d');
    await until('Enter to defer');
    press('\r');
    const { code, out } = await ended;
    expect(code).toBe(3);
    expect(out).toContain('waits for a person: notify');
    expect(await statuses()).toEqual(['waiting']);
  });
});
