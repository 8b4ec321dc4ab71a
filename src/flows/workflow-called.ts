import { errorOf } from '../run/failure.ts';
import type { Json } from '../run/values.ts';
import type { AtWork } from './workflow-sight.ts';

/** What a tool gives. Each node means its call: two that are equal are two calls. */
export async function called({ scope }: AtWork, tool: string, input: Json): Promise<Json> {
  const call = await scope.call(tool, input, { again: true });
  if ('failure' in call) throw errorOf(call.failure);
  return call.result;
}
