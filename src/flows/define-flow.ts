import type { z } from 'zod';
import type { Flow, RunInput, Scope } from '../engine/scope.ts';

/** A flow that apps give settings: what they may be, and what a run does by them. */
export interface FlowWithSettings<Settings extends z.ZodType<object>> extends Pick<Flow, 'name' | 'version'> {
  readonly settings: Settings;
  run(scope: Scope, input: RunInput, settings: z.output<Settings>): Promise<string>;
}

/**
 * A flow with settings: they are checked when the app is defined, recorded with each run, whole, and a run goes by those it
 * began with.
 */
export function defineFlow<Settings extends z.ZodType<object>>(flow: FlowWithSettings<Settings>): Flow {
  const { name, version, settings } = flow;
  return {
    name,
    version,
    settings,
    run: (scope, input) => flow.run(scope, input, settings.parse(settingsIn(scope.definition))),
  };
}

function settingsIn(definition: unknown): unknown {
  return Reflect.get(Object(definition) as object, 'settings') ?? {};
}
