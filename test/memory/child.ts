// The process whose memory is measured: it hands one message to a peer that misbehaves, through the whole engine, and
// tells how the run ended and by how much the process has grown.
import type { Timeouts } from '../../src/gateways/http/http-exchange.ts';
import type { PeerKind } from '../peers.ts';
import { agentAt } from '../peers.ts';
import { delegate } from '../delegate.ts';

export interface Job {
  /** `control` reads everything there is, as a careless client would. */
  readonly kind: PeerKind | 'control';
  /** Somebody who answers as one should, so that what every turn needs is there before the measuring begins. */
  readonly good: string;
  readonly bad: string;
  /** The budget of the run, if not the usual one. */
  readonly tokens?: number | undefined;
  /** How often the bad one is asked; once unless said. */
  readonly times?: number | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
}

export interface Report {
  readonly failure: string;
  /** Bytes of resident memory, at the most and at the end, beyond what there was before. */
  readonly peak: number;
  readonly end: number;
}

const job = JSON.parse(process.argv[2] ?? '') as Job;

async function ask(url: string): Promise<string> {
  if (job.kind === 'control') {
    const response = await fetch(url, { method: 'POST', body: '{}' });
    return `${(await response.text()).length} characters`;
  }
  const limits = job.tokens === undefined ? {} : { tokens: job.tokens };
  const { tree } = await delegate(agentAt(job.kind, url, { timeouts: job.timeouts ?? {} }), 'hello', {
    limits,
  });
  return `${tree.ended?.outcome} ${tree.ended?.failure?.code}: ${tree.ended?.failure?.message}`;
}

const resident = (): number => process.memoryUsage.rss();
const highest = (): number => process.resourceUsage().maxRSS * 1024;

for (let i = 0; i < 20; i += 1) await ask(job.good);
globalThis.gc?.();
const before = resident();
const highestBefore = highest();
let peak = before;
const watch = setInterval(() => (peak = Math.max(peak, resident())), 2);
let failure = '';
for (let i = 0; i < (job.times ?? 1); i += 1) failure = await ask(job.bad);
clearInterval(watch);
const highestAfter = highest();
// The highest of all is exact, but says nothing as long as the start of the process was higher still.
if (highestAfter > highestBefore) peak = Math.max(peak, highestAfter);
globalThis.gc?.();
const report: Report = { failure, peak: peak - before, end: resident() - before };
process.stdout.write(JSON.stringify(report));
process.exit(0);
