// A server in a process of its own, with an app that says as much as it is asked to, when it is told to.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEvent } from '../../src/gateways/gateway.ts';
import { serve } from '../../src/server/serve.ts';

/** What a run says: first its past, as fast as it can, then a piece at a time, then its end; each part when told. */
export interface Plan {
  readonly name: string;
  readonly past: Part;
  readonly live: Part & { readonly perSecond: number };
}

interface Part {
  readonly pieces: number;
  readonly size: number;
}

export type HouseOrder =
  | { readonly go: string }
  /** It has said enough of what it has to say now. */
  | { readonly enough: string }
  | { readonly measure: true };
export type HouseReport =
  | { readonly url: string }
  | { readonly name: string; readonly is: 'past' | 'live' | 'over' }
  | { readonly measured: Measured };

export interface Measured {
  readonly rss: number;
  readonly cpu: number;
  readonly viewers: number;
  readonly stalled: number;
  /** Bytes that wait for viewers. */
  readonly held: number;
  readonly deliveries: number;
}

const enough = new Set<string>();
const gates = new Map<string, PromiseWithResolvers<void>>();

function gate(name: string): PromiseWithResolvers<void> {
  const made = gates.get(name) ?? Promise.withResolvers<void>();
  gates.set(name, made);
  return made;
}

const report = (told: HouseReport): void => void process.send?.(told);

/** Every piece says whose it is and which: whoever gets another's, or misses one, can tell. */
function piece({ name }: Plan, number: number, size: number): AgentEvent {
  return { type: 'text.appended', text: `${name}#${number} `.padEnd(size, 'x') };
}

async function* speak(plan: Plan): AsyncGenerator<readonly AgentEvent[]> {
  const { name, past, live } = plan;
  let number = 0;
  for (; number < past.pieces; number += 1) {
    yield [piece(plan, number, past.size)];
    if (number % 50 === 0) await sleep(1);
  }
  report({ name, is: 'past' });
  await gate(name).promise;
  const began = performance.now();
  for (let i = 0; i < live.pieces && !enough.has(name); i += 1, number += 1) {
    const due = began + (i * 1_000) / live.perSecond - performance.now();
    if (due > 1) await sleep(due);
    yield [piece(plan, number, live.size)];
  }
  report({ name, is: 'live' });
  gates.delete(name);
  await gate(name).promise;
  report({ name, is: 'over' });
}

const server = await serve({
  data: process.argv[2] ?? '',
  port: Number(process.argv[3] ?? 0),
  config: {
    agents: {
      speaker: {
        effect: 'pure',
        gateway: {
          async *takeTurn({ messages }) {
            yield* speak(JSON.parse(messages.at(-1)?.text ?? '') as Plan);
          },
        },
      },
    },
    apps: {
      speaks: {
        flow: {
          name: 'speaks',
          version: '1',
          async run(scope: never, input: never): Promise<string> {
            return speakIn(scope, input);
          },
        },
        limits: { tokens: 1_000_000_000 },
      },
    },
    server: { quotas: { streams: 100_000, requests: 100_000, burst: 100_000, runs: 10_000 } },
  },
  // Stalled viewers are to be looked at, not to be cut off.
  patience: 600_000,
});

type Speaking = { turn(agent: string, request: object): Promise<{ readonly text: string }> };

async function speakIn(scope: Speaking, { text }: { readonly text: string }): Promise<string> {
  const said = await scope.turn('speaker', { messages: [{ role: 'user', text }] });
  return `${said.text.length} characters`;
}

process.on('message', (order: HouseOrder) => {
  if ('go' in order) return gate(order.go).resolve();
  if ('enough' in order) return void enough.add(order.enough);
  const { user, system } = process.cpuUsage();
  const { viewers, stalled, held } = server.context.channels.count();
  void server.context.metrics.text().then((text) => {
    const deliveries = Number(/^vitrine_deliveries_total (\d+)/m.exec(text)?.[1] ?? 0);
    const { rss } = process.memoryUsage();
    report({ measured: { rss, cpu: user + system, viewers, stalled, held, deliveries } });
  });
});
// Whoever started it is gone, maybe killed: nobody else would ever end it.
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
report({ url: server.url });
