import { z } from 'zod';
import type { SettledNode } from '../../graph/place.ts';
import { readAs, type Wrong } from '../../run/values.ts';
import { GuardSettings } from '../../guards/guard-settings.ts';
import { Coordinate } from '../compose/coordinate-schema.ts';
import { unknownAgent, wrongNames } from '../compose/names-in-settings.ts';

const Guards = z.array(GuardSettings).max(10);

/** What is wrong with the settings of a team or a guard, as they would be read when the node runs. */
export function wrongSettings(node: SettledNode, agents: readonly string[]): readonly Wrong[] {
  if (node.type === 'team') {
    const read = readAs(Coordinate, node.settings);
    return read.fits ? wrongNames(read.value, agents) : read.wrong;
  }
  if (node.settings === undefined) return [];
  const read = readAs(Guards, node.settings);
  if (!read.fits) return read.wrong;
  return read.value.flatMap((one, i) =>
    one.guard === 'judge' ? unknownAgent([i, 'agent'], one.agent, agents) : [],
  );
}
