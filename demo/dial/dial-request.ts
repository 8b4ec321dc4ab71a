import { z } from 'zod';
import { Json } from '../../src/wire/json.ts';
import { DialError } from './dial-error.ts';

/**
 * A request as strictly as SDK 0.15 reads it: unknown fields are refused, and so are stages as they come out of a stream,
 * with an index or without a final status.
 */
const Attachment = z.strictObject({
  type: z.string().default('text/markdown'),
  title: z.string().nullish(),
  data: z.string().nullish(),
  url: z.string().nullish(),
  reference_url: z.string().nullish(),
  reference_type: z.string().nullish(),
});

const Stage = z.strictObject({
  name: z.string(),
  status: z.enum(['completed', 'failed']),
  content: z.string().nullish(),
  attachments: z.array(Attachment).nullish(),
});

const CustomContent = z.strictObject({
  stages: z.array(Stage).nullish(),
  attachments: z.array(Attachment).nullish(),
  state: Json.optional(),
});

const ToolCall = z.strictObject({
  index: z.int().nullish(),
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

export const DialMessage = z.strictObject({
  role: z.enum(['system', 'user', 'assistant', 'function', 'tool']),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
    .nullish(),
  custom_content: CustomContent.nullish(),
  name: z.string().nullish(),
  tool_calls: z.array(ToolCall).nullish(),
  tool_call_id: z.string().nullish(),
  function_call: z.strictObject({ name: z.string(), arguments: z.string() }).nullish(),
});
export type DialMessage = z.infer<typeof DialMessage>;

export const DialRequest = z.strictObject({
  model: z.string().nullish(),
  messages: z.array(DialMessage),
  stream: z.boolean().default(false),
  n: z.int().min(1).max(128).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_prompt_tokens: z.int().positive().nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  user: z.string().nullish(),
  seed: z.int().nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  functions: z.array(z.looseObject({ name: z.string() })).nullish(),
  function_call: z.union([z.string(), z.looseObject({ name: z.string() })]).nullish(),
  tools: z.array(z.looseObject({ type: z.string() })).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
  addons: z.array(z.strictObject({ name: z.string().nullish(), url: z.string().nullish() })).nullish(),
});
export type DialRequest = z.infer<typeof DialRequest>;

export function readDialRequest(body: string): DialRequest {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new DialError(400, 'Your request contained invalid JSON', { cause });
  }
  const parsed = DialRequest.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new DialError(
    400,
    `Your request contained invalid structure on ${issue ? sentence(issue, value) : 'path .'}`,
  );
}

/** In the words the SDK's validator uses. */
function sentence(issue: z.core.$ZodIssue, value: unknown): string {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...keys].join('.');
  return `path ${path}. ${complaint(issue, valueAt(value, issue.path))}`;
}

function complaint(issue: z.core.$ZodIssue, given: unknown): string {
  if (issue.code === 'unrecognized_keys') return 'extra fields not permitted';
  if (given === undefined) return 'field required';
  if (given === null) return 'none is not an allowed value';
  if (issue.code === 'invalid_value')
    return `value is not a valid enumeration member; permitted: ${issue.values.map((each) => `'${String(each)}'`).join(', ')}`;
  return issue.message.replace(/^Invalid input: /, '');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, key) => (typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined),
    value,
  );
}
