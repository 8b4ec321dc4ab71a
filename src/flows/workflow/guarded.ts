import { z } from 'zod';
import { GuardSettings } from '../../guards/guard-settings.ts';
import { RunError } from '../../run/failure.ts';
import { readAs, type Json } from '../../run/values.ts';
import { checksOf, guard } from '../pipeline/guard.ts';
import { isConnected } from './edges.ts';
import { filledText, titleOf, type AtWork, type Done, type NodeOf } from './sight.ts';

const usual: readonly Json[] = [{ guard: 'pii', action: 'redact' }, { guard: 'safety' }];

/** A text as guards let it pass. What they do not let pass leaves by `blocked`, with what was found. */
export async function guarded(at: AtWork<NodeOf<'guard'>>): Promise<Done> {
  const { scope, node, part } = at;
  const input = settingsOf(at);
  const text = filledText(at, 'text', node.text);
  const found = await guard(scope, text, { checks: checksOf({ input, output: [] }), side: 'input' });
  if (found.is_safe) return { port: 'done', output: found.sanitized_text };
  const names = found.violations.join(', ');
  if (!isConnected(part, node.id, 'blocked'))
    throw new RunError('refused', `«${titleOf(node)}» does not let the text pass: ${names}.`);
  return { port: 'blocked', output: { violations: [...found.violations] } };
}

function settingsOf({ node }: AtWork<NodeOf<'guard'>>): GuardSettings[] {
  const read = readAs(z.array(GuardSettings).max(10), node.settings ?? usual);
  if (read.fits) return read.value;
  const [{ path, message }] = read.wrong;
  throw new RunError('malformed', `«${['settings', ...path].join('.')}» of «${titleOf(node)}»: ${message}.`);
}
