// A key, used over HTTP.
import { setTimeout as sleep } from 'node:timers/promises';

export interface Asker {
  ask(path: string, json?: object): Promise<{ readonly status: number; readonly body: string }>;
  begin(app: string, text: string): Promise<Begun>;
  /** Whoever attacks has used up what may be asked; the run itself goes on. */
  endOf(run: string): Promise<string>;
}

export interface Begun {
  readonly run: string;
  readonly conversation: string;
}

interface Listed {
  readonly run: string;
  readonly status: string;
}

/** Whoever waits for a person costs nothing. */
const ended = new Set(['completed', 'failed', 'stopped', 'waiting']);

export function askerAt(url: string, key: string): Asker {
  const headers = { authorization: `Bearer ${key}` };
  const ask: Asker['ask'] = async (path, json) => {
    const posting = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    };
    const answer = await fetch(`${url}${path}`, json ? posting : { headers });
    return { status: answer.status, body: await answer.text() };
  };
  /** What is asked for is asked for again while the share of the tenant is used up. */
  const insist: Asker['ask'] = async (path, json) => {
    for (;;) {
      const answer = await ask(path, json);
      if (answer.status !== 429) return answer;
      await sleep(200);
    }
  };
  return {
    ask,
    async begin(app, text) {
      return JSON.parse((await insist('/api/runs', { app, input: { text } })).body) as Begun;
    },
    async endOf(run) {
      for (;;) {
        const { body } = await insist('/api/runs?limit=100');
        const found = (JSON.parse(body) as { runs: Listed[] }).runs.find((one) => one.run === run);
        if (found && ended.has(found.status)) return found.status;
        await sleep(200);
      }
    },
  };
}
