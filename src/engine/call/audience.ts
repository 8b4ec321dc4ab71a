import type { Audience } from '../../tools/tool.ts';
import type { Execution } from '../execution.ts';

/** For whom the tools of a run are there. */
export function audienceOf({ tree }: Execution): Audience {
  const { tenant = '', approvals } = tree.started ?? {};
  return { tenant, approvals };
}
