// An agent in a process of its own, as tests start it, end it, hold it back and read what it was sent.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface AgentProcess {
  readonly url: string;
  /** Everything it was ever sent, once that is so many requests. */
  log(atLeast?: number): Promise<readonly unknown[]>;
  /** Later turns are heard, and answered when they are released; that resolves when they are over. */
  hold(): Promise<void>;
  release(): Promise<void>;
  post(path: string): Promise<void>;
  /** Killed between two turns, and started anew at the same address. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export async function startAgent(name: string, folder: string): Promise<AgentProcess> {
  const file = name === 'conversation-id' ? 'conversation-agent.ts' : 'dial-agent.ts';
  const main = fileURLToPath(new URL(`./${file}`, import.meta.url));
  const begin = (port: string): Promise<Begun> =>
    beginProcess(main, { NAME: name, REQUEST_LOG: join(folder, `${name}.jsonl`), PORT: port });
  let { child, url } = await begin('0');
  const post = async (path: string): Promise<void> => {
    const response = await fetch(`${url}${path}`, { method: 'POST' });
    if (!response.ok) throw new Error(`${name} answered ${path} with ${response.status}`);
  };
  const end = async (): Promise<void> => {
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url,
    post,
    end,
    hold: () => post('/hold'),
    release: () => post('/release'),
    async log(atLeast = 0) {
      return (await (await fetch(`${url}/log?atLeast=${atLeast}`)).json()) as unknown[];
    },
    async restart() {
      // What it was told is answered before it is written down.
      await post('/release');
      await end();
      ({ child, url } = await begin(new URL(url).port));
    },
  };
}

interface Begun {
  readonly child: ChildProcess;
  readonly url: string;
}

async function beginProcess(main: string, environment: Record<string, string>): Promise<Begun> {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return { child, url };
  }
  throw new Error(`${main} did not start`);
}
