import type { Execution } from '../execution.ts';

interface Ruled<T> {
  readonly name: string;
  readonly approval?: 'never' | 'always' | ((input: T) => boolean);
}

/** Whether a tool or agent wants a person to agree first. A rule that breaks has not said no. */
export function mustAsk<T>(
  { world, run }: Execution,
  { name, approval = 'never' }: Ruled<T>,
  input: T,
): boolean {
  if (typeof approval !== 'function') return approval === 'always';
  try {
    return approval(input);
  } catch (cause) {
    world.log.error({ run, cause }, `The approval rule of ${name} broke, so a person is asked.`);
    return true;
  }
}
