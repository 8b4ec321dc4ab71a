import type { Count } from './viewers/channels.ts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  /** A request is over. `route` is the pattern, never the address: that has names in it. */
  answered(request: { readonly route: string; readonly status: number; readonly seconds: number }): void;
  delivered(characters: number): void;
  text(): Promise<string>;
  readonly contentType: string;
}

export interface Gauges {
  readonly viewers: () => Count;
  readonly runs: () => number;
  /** Servers of tools that are away. */
  readonly away: () => number;
}

/** What Prometheus reads. Nothing in it names a tenant, a run or a person. */
export function metricsOf(gauges: Gauges): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'vitrine_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['route', 'status'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'vitrine_request_seconds',
    help: 'How long answers took; streams count until they began.',
    labelNames: ['route'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  });
  // Counted by hand: at thousands of writes a second a labelled counter is what one would see in a profile.
  let deliveries = 0;
  let characters = 0;
  counter(registry, { name: 'vitrine_deliveries_total', help: 'Writes to viewers.' }, () => deliveries);
  const sent = { name: 'vitrine_delivered_characters_total', help: 'What viewers were sent.' };
  counter(registry, sent, () => characters);
  const watched = (name: keyof Count, help: string): void =>
    gauge(registry, { name: `vitrine_viewers_${name}`, help }, () => gauges.viewers()[name]);
  gauge(registry, { name: 'vitrine_viewers', help: 'Who watches now.' }, () => gauges.viewers().viewers);
  watched('stalled', 'Viewers that take nothing now.');
  watched('held', 'Bytes that wait for viewers to take them.');
  watched('channels', 'Runs that are watched, each protocol apart.');
  gauge(
    registry,
    { name: 'vitrine_tool_servers_away', help: 'Servers of tools that do not answer.' },
    gauges.away,
  );
  gauge(registry, { name: 'vitrine_runs_in_hand', help: 'Runs this process works on.' }, gauges.runs);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    answered({ route, status, seconds: took }) {
      requests.inc({ route, status: String(status) });
      seconds.observe({ route }, took);
    },
    delivered(count) {
      deliveries += 1;
      characters += count;
    },
  };
}

interface Named {
  readonly name: string;
  readonly help: string;
}

function gauge(registry: Registry, named: Named, value: () => number): void {
  const made: Gauge = new Gauge({ ...named, registers: [registry], collect: () => made.set(value()) });
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
