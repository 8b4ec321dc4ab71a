// What the official readers of OpenAI make of a stream, and what no client of these protocols may be told.
import OpenAI from 'openai';
import { expect } from 'vitest';

/** A client whose server answers with exactly this. */
function answeredWith(text: string): OpenAI {
  const fetch = async (): Promise<Response> =>
    new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  return new OpenAI({ apiKey: 'none', baseURL: 'http://127.0.0.1:9/v1', maxRetries: 0, fetch });
}

/** How a client ends up: what it shows, in the order it came, and what it says of the end. */
export interface Ended {
  readonly text: string;
  readonly end: string;
  readonly shown: readonly string[];
}

interface Chunk {
  readonly id: string;
  readonly error?: object;
  readonly choices: {
    delta: { role?: string; content?: string; custom_content?: Custom };
    finish_reason: string | null;
  }[];
  readonly x_step?: { id: string; parent?: string | null; status?: string };
}

interface Custom {
  readonly stages?: { index: number; name?: string; status?: string | null; parent_stage_index?: number }[];
  readonly state?: unknown;
}

/** Chat completions: one beginning, one end, and nothing of a step that is not open. */
export async function readChat(text: string): Promise<Ended> {
  const stream = answeredWith(text).chat.completions.stream({ model: 'm', messages: [] });
  const shown: string[] = [];
  const open = new Set<string>();
  const known = new Set<string>();
  let roles = 0;
  try {
    for await (const chunk of stream) {
      const { choices, x_step: step, id } = chunk as unknown as Chunk;
      const [choice] = choices;
      if (choice?.delta.role) expect(((roles += 1), shown.length), 'it begins with a role').toBe(0);
      if (choice?.delta.role) shown.push(`begin ${id}`);
      else shown.push(JSON.stringify([choice?.delta, choice?.finish_reason, step]));
      if (step) heardStep(step, { open, known });
      for (const stage of choice?.delta.custom_content?.stages ?? []) heardStage(stage, { open, known });
    }
    expect(roles).toBe(1);
    expect([...open], 'stages that spin for ever').toEqual(text.includes('x_step') ? [...open] : []);
    expect(text.match(/\[DONE\]/g)).toHaveLength(1);
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    const [choice] = (await stream.finalChatCompletion()).choices;
    return { text: choice?.message.content ?? '', end: choice?.finish_reason ?? '', shown };
  } catch (thrown) {
    if (thrown instanceof OpenAI.APIError) return { text: '', end: `failed ${thrown.message}`, shown };
    throw thrown;
  }
}

interface Steps {
  readonly open: Set<string>;
  readonly known: Set<string>;
}

function heardStep({ id, parent, status }: NonNullable<Chunk['x_step']>, { open, known }: Steps): void {
  if (parent !== undefined) {
    expect(open.has(id), `${id} opens once`).toBe(false);
    if (parent !== null) expect(known.has(parent), `${id} is in ${parent}`).toBe(true);
    open.add(id);
    known.add(id);
    return;
  }
  expect(open.has(id), `${id} is open`).toBe(true);
  if (status !== undefined && status !== 'running') open.delete(id);
}

function heardStage(stage: NonNullable<Custom['stages']>[number], { open, known }: Steps): void {
  const { index, status, parent_stage_index: parent } = stage;
  const id = String(index);
  if (!known.has(id)) {
    expect(index, 'stages are numbered through').toBe(known.size);
    if (parent !== undefined) expect(open.has(String(parent)), `${index} is in ${parent}`).toBe(true);
    known.add(id);
    open.add(id);
  }
  expect(open.has(id), `stage ${index} is open`).toBe(true);
  if (status) open.delete(id);
}

/** Responses: numbers rise, items are added and done, and what was told in pieces is what is told whole. */
export async function readResponses(text: string): Promise<Ended> {
  const stream = answeredWith(text).responses.stream({ model: 'm', input: 'x' });
  const shown: string[] = [];
  let last = 0;
  const said = new Map<string, string>();
  let end = '';
  for await (const event of stream) {
    expect(end, 'nothing comes after the end').toBe('');
    expect(event.sequence_number).toBeGreaterThan(last);
    last = event.sequence_number;
    if (shown.length === 1) expect(event.type).toBe('response.in_progress');
    shown.push(JSON.stringify(event));
    if (event.type === 'response.output_text.delta' || event.type === 'response.reasoning_summary_text.delta')
      said.set(event.item_id, (said.get(event.item_id) ?? '') + event.delta);
    if (event.type === 'response.output_text.done' || event.type === 'response.reasoning_summary_text.done')
      expect(said.get(event.item_id), 'its pieces').toBe(event.text);
    if (['response.completed', 'response.failed', 'response.incomplete'].includes(event.type))
      end = event.type;
  }
  expect(shown[0]).toContain('"response.created"');
  expect(end, 'it has an end').not.toBe('');
  return { text: (await stream.finalResponse()).output_text, end, shown };
}
