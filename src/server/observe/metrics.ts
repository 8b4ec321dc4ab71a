import type { Count } from '../viewers/channels.ts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface Metrics {
  /** A request is over. `route` is the pattern, never the address: that has names in it. */
  answered(request: AnsweredRequest): void;
  delivered(characters: number): void;
  text(): Promise<string>;
  readonly contentType: string;
}

export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export interface Gauges {
  readonly viewers: () => Count;
  readonly runs: () => number;
  /** Questions that wait for people. */
  readonly questions: () => Promise<number>;
  /** Whether what is asked for now would be kept. */
  readonly isReady: () => Promise<boolean>;
  readonly damaged: () => Promise<number>;
  /** Runs whose flow is not here. */
  readonly stranded: () => Promise<number>;
  /** Servers of tools that are away. */
  readonly away: () => number;
}

/** What Prometheus reads. Nothing in it names a tenant, a run or a person. */
export function metricsOf(registry: Registry, gauges: Gauges): Metrics {
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long answers took; streams count until they began.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  // Counted by hand: at thousands of writes a second a labelled counter is what one would see in a profile.
  let deliveries = 0;
  let characters = 0;
  counter(registry, { name: 'vitrine_deliveries_total', help: 'Writes to viewers.' }, () => deliveries);
  const sent = { name: 'vitrine_delivered_characters_total', help: 'What viewers were sent.' };
  counter(registry, sent, () => characters);
  const shown = (name: string, help: string, value: () => number | Promise<number>): void =>
    gauge(registry, { name: `vitrine_${name}`, help }, value);
  const watched = (name: keyof Count) => (): number => gauges.viewers()[name];
  shown('viewers', 'Who watches now.', watched('viewers'));
  shown('viewers_stalled', 'Viewers that take nothing now.', watched('stalled'));
  shown('viewers_held_bytes', 'Bytes that wait for viewers to take them.', watched('held'));
  shown('viewers_channels', 'Runs that are watched, each protocol apart.', watched('channels'));
  shown('tool_servers_away', 'Servers of tools that do not answer.', gauges.away);
  shown('runs_in_hand', 'Runs this process works on.', gauges.runs);
  shown('ready', 'Whether new runs are taken: 1, or 0.', async () => Number(await gauges.isReady()));
  shown('damaged_runs', 'Runs that are not as they were written.', gauges.damaged);
  shown('stranded_runs', 'Runs whose flow is not here: they go on when it is back.', gauges.stranded);
  shown('questions_waiting', 'Questions that wait for people.', gauges.questions);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    answered({ method, route, status, seconds: took }) {
      seconds.observe({ method: methods.has(method) ? method : 'other', route, status }, took);
    },
    delivered(count) {
      deliveries += 1;
      characters += count;
    },
  };
}

/** A client may call its method anything. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface Named {
  readonly name: string;
  readonly help: string;
}

function gauge(registry: Registry, named: Named, value: () => number | Promise<number>): void {
  const collect = async (): Promise<void> => made.set(await value());
  const made: Gauge = new Gauge({ ...named, registers: [registry], collect });
}

function counter(registry: Registry, named: Named, value: () => number): void {
  const made: Counter = new Counter({
    ...named,
    registers: [registry],
    collect() {
      made.reset();
      made.inc(value());
    },
  });
}
