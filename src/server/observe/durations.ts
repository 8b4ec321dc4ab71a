import type { Histogram, Registry } from 'prom-client';

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
