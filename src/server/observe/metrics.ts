import type { Count } from '../viewers/channels.ts';
import { collectDefaultMetrics, Counter, Gauge, type Registry, type Histogram } from 'prom-client';
import type { Meter } from '../../engine/meter.ts';
import type { EventOf } from '../../run/events.ts';
import type { RunTree, Step } from '../../run/tree.ts';
import type { Store } from '../../stores/store.ts';
import type { Log } from '../../engine/world.ts';
import { RunError, failureOf } from '../../run/failure.ts';

export interface Metrics {
  /** A request is over. `route` is the pattern, never the address: that has names in it. */
  answered(request: AnsweredRequest): void;
  readonly delivered: (characters: number) => void;
  text(): Promise<string>;
  readonly contentType: string;
}

interface AnsweredRequest {
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
  const took = durations(registry, {
    name: 'http_request_duration_seconds',
    help: 'How long answers took; streams count until they began.',
    labels: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
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
    answered({ method, route, status, seconds }) {
      took(seconds, [methods.has(method) ? method : 'other', route, String(status)]);
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

/** The same for counts by one label. A labelled counter makes texts of its labels each time, which is more than all else that is counted. */
function counters(
  registry: Registry,
  { label, ...named }: Named & { readonly label: string },
  counts: Readonly<Record<string, number>>,
): void {
  const made: Counter = new Counter({
    ...named,
    labelNames: [label],
    registers: [registry],
    collect() {
      made.reset();
      for (const [value, count] of Object.entries(counts)) made.inc({ [label]: value }, count);
    },
  });
}

/** Seconds: a tool may be a lookup in memory, a model may think for minutes. */
const workBuckets = [0.01, 0.05, 0.2, 1, 5, 20, 60, 300];
const commitBuckets = [0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2];

/** Counts what runs do. Labels are names of the configuration and words of ours: no run, no tenant, nothing a model says. */
export function runMetrics(registry: Registry): Meter {
  const { runs, tokens, turns, calls, commits } = instruments(registry);
  const close = (step: Step, { outcome, usage }: EventOf<'step.closed'>): void => {
    tokens.input += usage?.input ?? 0;
    tokens.output += usage?.output ?? 0;
    const seconds = secondsOf(step);
    // What never began, or was told by an agent elsewhere, is no work of this process.
    if (seconds === undefined || step.origin !== undefined) return;
    if (step.call) calls(seconds, [step.call.tool, outcome]);
    else if (step.kind === 'turn') turns(seconds, [step.agent ?? 'none', outcome]);
  };
  return {
    recorded(event, tree: RunTree) {
      if (event.type === 'run.ended') runs[event.outcome] += 1;
      const step = event.type === 'step.closed' ? tree.steps.get(event.step) : undefined;
      if (step && event.type === 'step.closed') close(step, event);
    },
    committed: (milliseconds) => commits(milliseconds / 1_000, []),
  };
}

function secondsOf({ started, startedAt, closedAt }: Step): number | undefined {
  if (!started || startedAt === undefined || closedAt === undefined) return undefined;
  return Math.max(0, closedAt - startedAt) / 1_000;
}

function instruments(registry: Registry) {
  // A series that begins with its first failure has no rate that an alarm could see.
  const runs = { completed: 0, failed: 0, stopped: 0 };
  counters(
    registry,
    { name: 'vitrine_runs_total', help: 'Runs that ended here, by outcome.', label: 'outcome' },
    runs,
  );
  const tokens = { input: 0, output: 0 };
  counters(
    registry,
    { name: 'vitrine_tokens_total', help: 'Tokens that models reported.', label: 'direction' },
    tokens,
  );
  const turns = durations(registry, {
    name: 'vitrine_turn_duration_seconds',
    help: 'How long turns of agents took.',
    labels: ['agent', 'outcome'],
    buckets: workBuckets,
  });
  const calls = durations(registry, {
    name: 'vitrine_tool_duration_seconds',
    help: 'How long calls of tools took.',
    labels: ['tool', 'outcome'],
    buckets: workBuckets,
  });
  const commits = durations(registry, {
    name: 'vitrine_commit_duration_seconds',
    help: 'How long whoever must not act before it had to wait until what had happened was durable.',
    labels: [],
    buckets: commitBuckets,
  });
  return { runs, tokens, turns, calls, commits };
}

interface DurationSettings {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, in seconds. */
  readonly buckets: readonly number[];
}

/** `labels` are the values of those that were named, in their order. */
type Observe = (seconds: number, labels: readonly string[]) => void;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** How many were in each bucket, and in none before it. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/**
 * A histogram that is counted by hand and told when it is read. One of prom-client makes texts of its labels and bounds for each
 * value: for every commit and every answer that is more than all else that is counted.
 */
export function durations(
  registry: Registry,
  { name, help, labels: names, buckets }: DurationSettings,
): Observe {
  const all = new Map<string, Series>();
  const seriesOf = (labels: readonly string[]): Series => {
    const key = labels.length === 0 ? '' : labels.join('\n');
    const known = all.get(key);
    if (known) return known;
    const named = Object.fromEntries(names.map((label, i) => [label, labels[i] ?? '']));
    const made = { labels: named, counts: buckets.map(() => 0), count: 0, sum: 0 };
    all.set(key, made);
    return made;
  };
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...all.values()].flatMap((series) => valuesOf(name, buckets, series)),
  });
  if (names.length === 0) seriesOf([]);
  // Of what is registered it reads the name and what `get` gives.
  registry.registerMetric({ name, get } as unknown as Histogram);
  return (seconds, labels) => {
    const series = seriesOf(labels);
    series.count += 1;
    series.sum += seconds;
    for (let i = 0; i < buckets.length; i += 1) {
      if (seconds > (buckets[i] ?? Infinity)) continue;
      series.counts[i] = (series.counts[i] ?? 0) + 1;
      return;
    }
  };
}

function valuesOf(name: string, buckets: readonly number[], { labels, counts, count, sum }: Series) {
  let upTo = 0;
  const bounded = buckets.map((le, i) => {
    upTo += counts[i] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: upTo };
  });
  return [
    ...bounded,
    { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** Whether what is asked for now would be kept. */
export interface Readiness {
  /** Why not; undefined while it would. */
  now(): Promise<string | undefined>;
  /** Fails where what is begun now would be lost. */
  expect(): Promise<void>;
  close(): void;
}

const isReady = 'The server is ready again.';
const isNotReady = 'The server is not ready: new runs are refused.';

/** How often to look without being asked, and how long a store may take to answer. Milliseconds. */
const lookEvery = 1_000;
const patience = 3_000;

/** Watches the store, and says on the log when it cannot be relied on, and when it can again: once for each change. */
export function readinessOf(
  store: Pick<Store, 'health'>,
  log: Log,
  warn?: (line: string) => void,
): Readiness {
  let last: string | undefined;
  let isClosed = false;
  const now = async (): Promise<string | undefined> => {
    const why = await healthOf(store);
    // Whoever ends closes its store, and a look may have been under way.
    if (why !== last && !isClosed) {
      last = why;
      const message = why === undefined ? isReady : isNotReady;
      log.error({ cause: why ?? 'What was wrong is over.' }, message);
      warn?.(why === undefined ? message : `${message} ${why}`);
    }
    return why;
  };
  let isLooking = false;
  const looking = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void now().finally(() => (isLooking = false));
  }, lookEvery);
  looking.unref();
  return {
    now,
    expect: async () => refuse(await now()),
    close() {
      isClosed = true;
      clearInterval(looking);
    },
  };
}

function refuse(why: string | undefined): void {
  if (why !== undefined) throw new RunError('unready', why, { retryable: true });
}

function healthOf(store: Pick<Store, 'health'>): Promise<string | undefined> {
  return withinPatience(store.health().catch((thrown: unknown) => failureOf(thrown).message));
}

async function withinPatience(answer: Promise<string | undefined>): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve('The store does not answer.'), patience);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}
