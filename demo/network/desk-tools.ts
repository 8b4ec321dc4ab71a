import { z } from 'zod';
import type { Json, Tool } from '../../src/index.ts';

/** Where the operations centre is, once somebody needs it. */
type Place = () => Promise<{ readonly url: string }>;

/** What workflows do at the operations centre: with the key of their call, so that it is done once. */
export function deskTools(network: Place): Tool[] {
  return [
    {
      name: 'post_notice',
      description: 'Puts a notice up on the board of the operations centre.',
      schema: {
        type: 'object',
        required: ['site', 'text'],
        additionalProperties: false,
        properties: {
          site: { type: 'string', minLength: 2, maxLength: 40 },
          text: { type: 'string', minLength: 3, maxLength: 500 },
        },
      },
      effect: 'idempotent',
      sends: false,
      run: (notice, { idempotencyKey, signal }) =>
        post(network, '/notices', { body: notice, idempotencyKey, signal }),
    },
    {
      name: 'dispatch_engineer',
      description: 'Sends a field engineer to a link or a site.',
      schema: {
        type: 'object',
        required: ['destination', 'reason'],
        additionalProperties: false,
        properties: {
          destination: { type: 'string', minLength: 3, maxLength: 80 },
          urgency: { enum: ['critical', 'high', 'medium', 'low'] },
          reason: { type: 'string', minLength: 1, maxLength: 500 },
        },
      },
      effect: 'idempotent',
      sends: false,
      run: (order, { idempotencyKey, signal }) =>
        post(network, '/actions/dispatch_field_engineer', { body: order, idempotencyKey, signal }),
    },
  ];
}

interface Sent {
  readonly body: Json;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

const Refusal = z.object({ error: z.object({ message: z.string() }) });

async function post(network: Place, path: string, { body, idempotencyKey, signal }: Sent): Promise<Json> {
  const { url } = await network();
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify(body),
    signal,
  });
  const answer: unknown = await response.json();
  if (response.ok) return z.json().parse(answer);
  const refused = Refusal.safeParse(answer);
  const { RunError } = await import('../../src/index.ts');
  throw new RunError(
    'rejected',
    refused.success ? refused.data.error.message : `The centre answered ${response.status}.`,
  );
}
