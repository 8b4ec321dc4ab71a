import { z } from 'zod';

/** What clients of the Responses API send: unknown fields pass. */

const PartIn = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
  z.object({
    type: z.literal('input_image'),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
  }),
  z.object({
    type: z.literal('input_file'),
    file_id: z.string().nullish(),
    file_data: z.string().nullish(),
    file_url: z.string().nullish(),
    filename: z.string().nullish(),
  }),
]);
export type ResponsesPartIn = z.infer<typeof PartIn>;

const MessageIn = z.object({
  type: z.literal('message').optional(),
  id: z.string().nullish(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(PartIn)]),
});
export type ResponsesMessageIn = z.infer<typeof MessageIn>;

const ApprovalIn = z.object({
  type: z.literal('mcp_approval_response'),
  approval_request_id: z.string().min(1),
  approve: z.boolean(),
  reason: z.string().nullish(),
});

/** What clients send back of an earlier answer, and tell nothing that is not known here. */
const EchoIn = z.object({
  type: z.enum(['reasoning', 'mcp_approval_request', 'x_step']),
});

/** What was said before, by its name alone. */
const ReferenceIn = z.object({ type: z.literal('item_reference').nullish(), id: z.string().min(1) });

const ToolIn = z.object({ type: z.string(), output: z.unknown().optional() });

export const ResponsesRequest = z.looseObject({
  model: z.string().min(1).optional(),
  input: z.union([z.string(), z.array(z.union([MessageIn, ApprovalIn, EchoIn, ReferenceIn, ToolIn])).min(1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;
export type ResponsesItemIn = Exclude<ResponsesRequest['input'], string>[number];

export const StartingAfter = z.object({
  stream: z.enum(['true', 'false']).optional(),
  starting_after: z.coerce.number().int().nonnegative().optional(),
});
