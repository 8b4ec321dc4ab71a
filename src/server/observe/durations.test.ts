import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { durations } from './metrics.ts';

const about = { name: 'took_seconds', help: 'How long it took.', buckets: [0.0005, 0.01, 2] };

test('durations read as a histogram of prom-client does', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const observe = durations(ours, { ...about, labels: ['route', 'status'] });
  const told = new Histogram({ ...about, labelNames: ['route', 'status'], registers: [theirs] });
  for (const [seconds, route, status] of [
    [0.0001, '/a', '200'],
    [0.0005, '/a', '200'],
    [1.5, '/a', '200'],
    [30, '/a', '200'],
    [0.01, '/a', '404'],
    [0.02, '/b "\\', '200'],
  ] as const) {
    observe(seconds, [route, status]);
    told.observe({ route, status }, seconds);
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('without labels there is one series, from the beginning', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const observe = durations(ours, { ...about, labels: [] });
  const told = new Histogram({ ...about, registers: [theirs] });
  expect(await ours.metrics()).toBe(await theirs.metrics());
  for (const seconds of [0, 0.001, 3]) {
    observe(seconds, []);
    told.observe(seconds);
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});
