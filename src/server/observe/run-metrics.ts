import { Counter, Histogram, type Registry } from 'prom-client';
import type { Meter } from '../../engine/meter.ts';
import type { EventOf } from '../../run/events.ts';
import type { RunTree, Step } from '../../run/tree.ts';

/** Seconds: a tool may be a lookup in memory, a model may think for minutes. */
const workBuckets = [0.01, 0.05, 0.2, 1, 5, 20, 60, 300];
const commitBuckets = [0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2];

/** Counts what runs do. Labels are names of the configuration and words of ours: no run, no tenant, nothing a model says. */
export function runMetrics(registry: Registry): Meter {
  const { runs, tokens, turns, calls, commits } = instruments(registry);
  const close = (step: Step, { outcome, usage }: EventOf<'step.closed'>): void => {
    if (usage) tokens.inc({ direction: 'input' }, usage.input);
    if (usage) tokens.inc({ direction: 'output' }, usage.output);
    const seconds = secondsOf(step);
    // What never began, or was told by an agent elsewhere, is no work of this process.
    if (seconds === undefined || step.origin !== undefined) return;
    if (step.call) calls.observe({ tool: step.call.tool, outcome }, seconds);
    else if (step.kind === 'turn') turns.observe({ agent: step.agent ?? 'none', outcome }, seconds);
  };
  return {
    recorded(event, tree: RunTree) {
      if (event.type === 'run.ended') runs.inc({ outcome: event.outcome });
      const step = event.type === 'step.closed' ? tree.steps.get(event.step) : undefined;
      if (step && event.type === 'step.closed') close(step, event);
    },
    committed: (milliseconds) => commits.observe(milliseconds / 1_000),
  };
}

function secondsOf({ started, startedAt, closedAt }: Step): number | undefined {
  if (!started || startedAt === undefined || closedAt === undefined) return undefined;
  return Math.max(0, closedAt - startedAt) / 1_000;
}

function instruments(registry: Registry) {
  const registers = [registry];
  const runs = new Counter({
    name: 'vitrine_runs_total',
    help: 'Runs that ended here, by outcome.',
    labelNames: ['outcome'] as const,
    registers,
  });
  // A series that begins with its first failure has no rate that an alarm could see.
  for (const outcome of ['completed', 'failed', 'stopped'] as const) runs.inc({ outcome }, 0);
  const tokens = new Counter({
    name: 'vitrine_tokens_total',
    help: 'Tokens that models reported.',
    labelNames: ['direction'] as const,
    registers,
  });
  const turns = new Histogram({
    name: 'vitrine_turn_duration_seconds',
    help: 'How long turns of agents took.',
    labelNames: ['agent', 'outcome'] as const,
    buckets: workBuckets,
    registers,
  });
  const calls = new Histogram({
    name: 'vitrine_tool_duration_seconds',
    help: 'How long calls of tools took.',
    labelNames: ['tool', 'outcome'] as const,
    buckets: workBuckets,
    registers,
  });
  const commits = new Histogram({
    name: 'vitrine_commit_duration_seconds',
    help: 'How long it took until what had happened was durable.',
    buckets: commitBuckets,
    registers,
  });
  return { runs, tokens, turns, calls, commits };
}
