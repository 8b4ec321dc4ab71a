import { openUpstream, type Act, type Plan, type SeenRequest, type Upstream } from './upstream.ts';

/**
 * A DIAL application on a real socket, as strict as SDK 0.15 was seen to be: it wants an `Api-Key`, and refuses fields it
 * does not know and stages that are not closed. Requests it takes get what the test planned.
 */
export async function openStrictDial(): Promise<Upstream> {
  const upstream = await openUpstream();
  return {
    ...upstream,
    answer: (...plans) => upstream.answer(...plans.map((plan) => strictly(plan))),
  };
}

const fields = new Set(
  (
    'model messages functions function_call addons tools tool_choice stream temperature top_p n stop max_tokens ' +
    'max_prompt_tokens presence_penalty frequency_penalty logit_bias user seed logprobs top_logprobs response_format'
  ).split(' '),
);
const messageFields = new Set(
  'role content custom_content name tool_calls tool_call_id function_call'.split(' '),
);
const customFields = new Set(['attachments', 'state', 'stages']);
const stageFields = new Set(['name', 'status', 'content', 'attachments']);
const attachmentFields = new Set('type title data url reference_type reference_url'.split(' '));

const strictly =
  (plan: Plan) =>
  (request: SeenRequest): readonly Act[] => {
    const fault = faultOf(request);
    if (fault !== undefined) return refusal(fault);
    return typeof plan === 'function' ? plan(request) : plan;
  };

function refusal(message: string): Act[] {
  const error = { message, type: 'invalid_request_error', code: '400' };
  return [
    { head: 400, headers: { 'content-type': 'application/json' } },
    { send: JSON.stringify({ error }) },
    'end',
  ];
}

type Loose = Readonly<Record<string, unknown>>;

function faultOf({ headers, body }: SeenRequest): string | undefined {
  if (!headers['api-key']) return 'Api-Key header is required';
  const { messages } = body as { messages?: Loose[] };
  if (!Array.isArray(messages)) return structure('messages', 'field required');
  const paths = [
    ...unknown(body as Loose, fields, ''),
    ...messages.flatMap((message, i) => faultsOfMessage(message, `messages.${i}.`)),
  ];
  return paths[0];
}

function faultsOfMessage(message: Loose, path: string): string[] {
  const { custom_content: custom = {} } = message as { custom_content?: Record<string, Loose[]> };
  const inside = `${path}custom_content.`;
  return [
    ...unknown(message, messageFields, path),
    ...unknown(custom, customFields, inside),
    ...(custom['attachments'] ?? []).flatMap((one, i) =>
      unknown(one, attachmentFields, `${inside}attachments.${i}.`),
    ),
    ...(custom['stages'] ?? []).flatMap((stage, i) => [
      ...unknown(stage, stageFields, `${inside}stages.${i}.`),
      ...(stage['status'] === 'completed' || stage['status'] === 'failed'
        ? []
        : [structure(`${inside}stages.${i}.status`, 'value is not a valid enumeration member')]),
    ]),
  ];
}

function unknown(value: Loose, known: ReadonlySet<string>, path: string): string[] {
  const extra = Object.keys(value).filter((name) => !known.has(name));
  return extra.map((name) => structure(path + name, 'extra fields not permitted'));
}

function structure(path: string, what: string): string {
  return `Your request contained invalid structure on path ${path}. ${what}`;
}
