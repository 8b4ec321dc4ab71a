import { z } from 'zod';
import type { SettledNode, WrongSetting } from '../../graph/place.ts';
import { GuardSettings } from '../../guards/guard-settings.ts';
import { Coordinate } from '../compose/coordinate-schema.ts';
import { unknownAgent, wrongNames } from '../compose/names-in-settings.ts';

const Guards = z.array(GuardSettings).max(10);

/** What is wrong with the settings of a team or a guard, as they would be read when the node runs. */
export function wrongSettings(node: SettledNode, agents: readonly string[]): readonly WrongSetting[] {
  if (node.type === 'team') {
    const read = Coordinate.safeParse(node.settings);
    return read.success ? wrongNames(read.data, agents) : issuesIn(read.error);
  }
  if (node.settings === undefined) return [];
  const read = Guards.safeParse(node.settings);
  if (!read.success) return issuesIn(read.error);
  return read.data.flatMap((one, i) =>
    one.guard === 'judge' ? unknownAgent([i, 'agent'], one.agent, agents) : [],
  );
}

function issuesIn({ issues }: z.ZodError): readonly WrongSetting[] {
  return issues.map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'number' ? part : String(part))),
    message,
  }));
}
