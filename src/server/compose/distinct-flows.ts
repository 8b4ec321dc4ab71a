import { RunError } from '../../run/failure.ts';
import type { App } from '../folder/home.ts';
import { flowId } from '../../run/values.ts';

/** A recovered run finds its flow by name and version: two of one name would be taken for each other. */
export function expectDistinct(apps: readonly App[], where: string): void {
  for (const [i, { name, flow }] of apps.entries()) {
    const twin = apps.slice(0, i).find((other) => other.flow !== flow && flowId(other.flow) === flowId(flow));
    if (!twin) continue;
    throw new RunError(
      'malformed',
      `${where}: apps.${name}.flow: another flow, of app «${twin.name}», is called ${flowId(flow)} too; rename one of them.`,
    );
  }
}
