import type { Act as Deed, Plan, Subject } from '../src/gateways/gateway.contract.ts';
import type { Gateway } from '../src/gateways/gateway.ts';
import { frames } from './chat-frames.ts';
import { type Act, openUpstream, sse } from './upstream.ts';

const overloaded: Act[] = [{ head: 503 }, { send: '{"error":{"message":"overloaded"}}' }, 'end'];

/** A gateway in front of the fake upstream, which speaks OpenAI chat completions. */
export async function chatSubject(
  open: (settings: { readonly baseUrl: string; readonly key: string }) => Gateway,
  busy: readonly Act[] = overloaded,
): Promise<Subject> {
  const upstream = await openUpstream();
  const secret = 'sk-test-51f0c9a7e2b84d';
  return {
    gateway: open({ baseUrl: upstream.url, key: secret }),
    secret,
    plan: (...plans) =>
      upstream.answer(...plans.map((plan) => (plan === 'busy' ? busy : chatActs(plan, secret)))),
    async request(i) {
      const { headers, left } = await upstream.request(i);
      return { key: String(headers['idempotency-key']), left };
    },
    get requests() {
      return upstream.requests.length;
    },
    close: () => upstream.close(),
  };
}

/** What a server that speaks chat completions does to carry out a plan. */
export function chatActs(plan: Exclude<Plan, 'busy'>, secret: string): Act[] {
  if (plan === 'refuse') {
    const body = { error: { message: `Incorrect API key provided: ${secret}`, code: 'invalid_api_key' } };
    return [{ head: 401 }, { send: JSON.stringify(body) }, 'end'];
  }
  const count = new Map<string, number>();
  const acts = plan.flatMap((deed) => framesOf(deed, count));
  const isCut = plan.some((deed) => deed.do === 'hang' || deed.do === 'break');
  return [sse, ...acts, ...(isCut ? [] : [{ send: frames.done }, 'end' as const])];
}

function framesOf(deed: Deed, indexes: Map<string, number>): Act[] {
  switch (deed.do) {
    case 'say':
      return [{ send: frames.text(deed.text) }];
    case 'think':
      return [{ send: frames.reasoning(deed.text) }];
    case 'call': {
      const index = indexes.size;
      indexes.set(deed.call, index);
      return deed.pieces.map((piece, i) => ({
        send: frames.call({
          index,
          ...(i === 0 ? { id: deed.call, name: deed.tool } : {}),
          arguments: piece,
        }),
      }));
    }
    case 'use':
      return [{ send: frames.usage(deed.input, deed.output) }];
    case 'finish':
      return [{ send: frames.finish(deed.reason === 'calls' ? 'tool_calls' : deed.reason) }];
    case 'hang':
      return ['hang'];
    case 'break':
      return ['reset'];
  }
}
