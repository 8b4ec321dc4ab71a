import { RunError } from '../run/failure.ts';
import type { Flow } from './scope.ts';
import type { World } from './world.ts';

interface Named {
  readonly name: string;
  readonly version: string;
}

/** What a run needs to go on: a worker claims only flows it has. */
export function flowId({ name, version }: Named): string {
  return `${name}@${version}`;
}

/** A flow that is known here. */
export function flowOf({ catalog: { flows } }: Pick<World, 'catalog'>, { name, version }: Named): Flow {
  const flow = flows.find((known) => known.name === name && known.version === version);
  if (flow) return flow;
  const known = flows.map(flowId).join(', ') || 'none';
  throw new RunError('unknown', `There is no flow ${flowId({ name, version })} here; known: ${known}.`);
}
