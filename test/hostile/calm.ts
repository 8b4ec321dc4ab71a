// What people of a calm tenant do all day, in a process of its own: begin a run, look at it, look at others.
import { setTimeout as sleep } from 'node:timers/promises';
import { askerAt } from './asker.ts';
import { quantiles, type Times } from './times.ts';

export interface Calm {
  readonly times: Times;
  readonly asked: number;
  /** What was asked, and was not answered as it should be. */
  readonly faults: readonly string[];
}

const [url = '', key = ''] = process.argv.slice(2);
const asker = askerAt(url, key);

process.on(
  'message',
  (milliseconds: number) => void during(milliseconds).then((calm) => process.send?.(calm)),
);
process.on('disconnect', () => process.exit(0));

async function during(milliseconds: number): Promise<Calm> {
  const faults: string[] = [];
  const times: number[] = [];
  const timed = async (path: string, json?: object): Promise<string> => {
    const before = performance.now();
    const { status, body } = await asker.ask(path, json);
    times.push(performance.now() - before);
    if (status >= 300) faults.push(`${status} ${path} ${body.slice(0, 200)}`);
    return body;
  };
  for (const until = performance.now() + milliseconds; performance.now() < until;) {
    const { run } = JSON.parse(await timed('/api/runs', { app: 'says', input: { text: '0' } })) as {
      run: string;
    };
    await timed(`/api/runs/${run}/events`);
    await timed(`/api/runs/${run}`);
    await timed(`/api/runs/${run}/entries`);
    await timed('/api/runs?limit=20');
    await sleep(20);
  }
  return { times: quantiles(times), asked: times.length, faults };
}
