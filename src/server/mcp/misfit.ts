import { z } from 'zod';
import { readAs } from '../../run/values.ts';

const Id = z.looseObject({ id: z.union([z.string(), z.number()]), method: z.string() });
const Any = z.looseObject({});
const Page = z.looseObject({ cursor: z.string().optional() }).optional();
const Hello = z.looseObject({
  protocolVersion: z.string(),
  capabilities: z.looseObject({ elicitation: Any.optional() }),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
});

/** What each request that is answered here is to say. */
const said: Readonly<Record<string, z.ZodType>> = {
  initialize: Hello,
  'tools/list': Page,
  'tools/call': z.looseObject({ name: z.string(), arguments: Any.optional() }),
  'resources/list': Page,
  'resources/templates/list': Page,
  'resources/read': z.looseObject({ uri: z.string() }),
};

/** The answer to a request that says something else than it is to, which the library would give in words of its own. */
export function misfit(body: unknown): object | undefined {
  const request = Id.safeParse(body);
  if (!request.success) return undefined;
  const { id, method } = request.data;
  const params = Object.hasOwn(said, method) ? said[method] : undefined;
  if (!params) return undefined;
  const read = readAs(z.looseObject({ params }), body);
  if (read.fits) return undefined;
  const [{ path, message }] = read.wrong;
  const error = { code: -32602, message: `The request does not fit: ${path.join('.')}: ${message}.` };
  return { jsonrpc: '2.0', id, error };
}
