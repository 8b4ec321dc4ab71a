import { RunError } from '../run/failure.ts';

/** Where something is mounted, without the slash at its end that addresses below it begin with. */
export function prefixOf(given = ''): string {
  const prefix = given.replace(/\/+$/, '');
  if (/^(\/[\w.~-]+)*$/.test(prefix)) return prefix;
  throw new RunError('malformed', `prefix is «${given}»: write it as an address begins, such as /agents.`);
}
