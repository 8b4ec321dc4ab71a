import { codeTool, searchTools } from '../../graph/graph.ts';
import { errorOf } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { retrieve } from '../pipeline/retrieve.ts';
import { filled, filledPath, filledText, type AtWork, type NodeOf } from './sight.ts';

/** What a tool gives. Each node means its call: two that are equal are two calls. */
export async function called({ scope }: AtWork, tool: string, input: Json): Promise<Json> {
  const call = await scope.call(tool, input, { again: true });
  if ('failure' in call) throw errorOf(call.failure);
  return call.result;
}

/** The answer to a request by one of the configuration's connections. */
export function requested(at: AtWork<NodeOf<'http'>>): Promise<Json> {
  const { method, path, body } = at.node;
  const input = {
    method,
    path: filledPath(at, 'path', path),
    ...(body === undefined ? {} : { body: filled(at, 'body', body) }),
  };
  return called(at, connectionTool(at.node), input);
}

/** The tool that a request goes by. */
export function connectionTool({ connection, method }: NodeOf<'http'>): string {
  return `connection_${connection}_${kindOf(method)}`;
}

function kindOf(method: NodeOf<'http'>['method']): string {
  if (method === 'GET') return 'get';
  return method === 'PUT' || method === 'DELETE' ? 'put' : 'send';
}

/** What code gives that runs in a sandbox. */
export async function codeRun(at: AtWork<NodeOf<'code'>>): Promise<Json> {
  const { code, input = null } = at.node;
  const ran = await called(at, codeTool, { code, input: filled(at, 'input', input) });
  return (Reflect.get(Object(ran), 'value') as Json | undefined) ?? null;
}

const usualPassages = 10;

/** The passages that tools find for a query, as an application gets them. */
export async function retrieved(at: AtWork<NodeOf<'retrieve'>>): Promise<Json> {
  const query = filledText(at, 'query', at.node.query);
  const retrieval = { tools: [...searchTools(at.node.settings)], passages: usualPassages, uploads: false };
  return (await retrieve(at.scope, { settings: { retrieval }, means: {} }, query)).map(({ title, text }) => ({
    title,
    text,
  }));
}
