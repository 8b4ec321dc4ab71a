// A page with the official clients that run in a browser, each cut off again and again in the middle of a run.
import OpenAI from 'openai';
import type { Entry } from '../../src/run/events.ts';
import { flatTree } from '../../src/run/flat-tree.ts';
import { foldAll, entryOf } from '../../src/run/entries.ts';
import { answerIn, Joining, pathsIn as agUiPaths } from './ag-ui-seen.ts';
import { approvalIn, Chat, pathsIn as chatPaths, textIn } from './ai-sdk-chat.ts';
import { approvalIn as asked, fingerprintIn, stepsIn, toldIn, type ChatStep } from './openai-steps.ts';
import { pathsBy, pathsOf } from './paths.ts';

/** As much of a browser as is used here. */
declare const location: { readonly origin: string };

/** A run as a client shows it in the end. */
export interface Shown {
  readonly status: string;
  readonly answer: unknown;
  readonly paths: readonly (readonly string[])[];
}

/** Asks, agrees, and is cut off after each of so many frames; after the last cut it comes to the end. */
export type Client = (text: string, cuts: readonly number[]) => Promise<Shown>;

const clients = {
  EventSource: native((run, after, hear) => {
    const source = new EventSource(`/api/runs/${run}/events?after=${after}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    source.addEventListener('message', ({ lastEventId, data }) => {
      if (hear(Number(lastEventId), String(data))) return;
      source.close();
      resolve();
    });
    return promise;
  }),
  WebSocket: native((run, after, hear) => {
    const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/ws/runs/${run}?after=${after}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.addEventListener('message', ({ data }) => {
      const { id, data: frame } = JSON.parse(String(data)) as { id: number; data: object };
      if (!hear(id, JSON.stringify(frame))) socket.close();
    });
    socket.addEventListener('close', () => resolve());
    return promise;
  }),
  'ag-ui': agUi,
  'ai-sdk': aiSdk,
  'openai-chat': openAiChat,
  'openai-responses': openAiResponses,
} satisfies Record<string, Client>;

export type ClientName = keyof typeof clients;

Object.assign(globalThis, { clients });

/** Follows a run after a cursor. What is heard says whether to listen on. */
type Follow = (run: string, after: number, hear: (id: number, data: string) => boolean) => Promise<void>;

function native(follow: Follow): Client {
  return async (text, cuts) => {
    const { run } = (await post('/api/runs', { input: { text } })) as { run: string };
    const entries: Entry[] = [];
    for (const most of [...cuts, Infinity]) {
      let had = 0;
      if (entries.at(-1)?.event.type === 'run.ended') break;
      await follow(run, entries.at(-1)?.seq ?? 0, (id, data) => {
        if (had === most) return false;
        had += 1;
        const entry = entryOf(id, data);
        entries.push(entry);
        if (entry.event.type === 'approval.requested') {
          const { approval, fingerprint } = entry.event;
          void post(`/api/approvals/${approval}`, { decision: 'approve', fingerprint });
        }
        return had < most && entry.event.type !== 'run.ended';
      });
    }
    const { status, answer, steps } = flatTree(foldAll(entries));
    const isUnbroken = entries.every(({ seq }, i) => seq === i + 1);
    return { status: isUnbroken ? status : 'broken', answer, paths: pathsOf(steps) };
  };
}

async function agUi(text: string, cuts: readonly number[]): Promise<Shown> {
  const place = { url: `${location.origin}/ag-ui/team`, threadId: text };
  const first = new Joining({ ...place, initialMessages: [{ id: 'u1', role: 'user', content: text }] });
  await first.runAgent({});
  const resume = first.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'resolved' as const }));
  first.fetch = cutAfter(cuts[0] ?? Infinity);
  await first.runAgent({ resume });
  let { messages } = first;
  for (const most of [...cuts.slice(1), Infinity]) {
    const again = new Joining({ ...place, initialMessages: messages, fetch: cutAfter(most) });
    await again.connectAgent({});
    ({ messages } = again);
    if (most !== Infinity) continue;
    const { status } = again.state as { status: string };
    return { status, answer: answerIn(again), paths: agUiPaths(again) };
  }
  throw new Error('the last connection is whole');
}

async function aiSdk(text: string, cuts: readonly number[]): Promise<Shown> {
  const rest = [Infinity, ...cuts, Infinity];
  const asking: typeof fetch = (...given) => cutAfter(rest.shift() ?? Infinity)(...given);
  const chat = new Chat(`${location.origin}/ai-sdk/team/chat`, { id: text, fetch: asking, goesOn: false });
  await chat.sendMessage({ text });
  await chat.addToolApprovalResponse({ id: approvalIn(chat) ?? '', approved: true });
  await chat.sendMessage();
  while (rest.length > 0) await chat.resumeStream();
  return { status: chat.status, answer: textIn(chat), paths: chatPaths(chat) };
}

const client = new OpenAI({
  baseURL: `${location.origin}/v1`,
  apiKey: 'none',
  dangerouslyAllowBrowser: true,
});

async function openAiChat(text: string, cuts: readonly number[]): Promise<Shown> {
  const user = { role: 'user', content: text } as const;
  const first = client.chat.completions.stream({ model: 'team', messages: [user] });
  const steps = new Map<string, ChatStep>();
  for await (const chunk of first) keep(steps, toldIn(chunk).x_step);
  const fingerprint = fingerprintIn((await first.finalChatCompletion()).choices[0]?.message.content ?? '');
  const messages = [user, { role: 'user', content: `approve ${fingerprint}` } as const];
  for (const most of [...cuts, Infinity]) {
    const now = new Map(steps);
    let [answer, status, had] = ['', '', 0];
    for await (const chunk of await client.chat.completions.create({
      model: 'team',
      messages,
      stream: true,
    })) {
      const { x_step: step, x_run: run } = toldIn(chunk);
      keep(now, step);
      status = run?.status ?? status;
      answer += chunk.choices[0]?.delta.content ?? '';
      if ((had += 1) === most) break;
    }
    if (most === Infinity) return { status, answer, paths: pathsBy(now) };
  }
  throw new Error('the last connection is whole');
}

function keep(steps: Map<string, ChatStep>, step: ChatStep | undefined): void {
  if (step) steps.set(step.id, { ...steps.get(step.id), ...step });
}

async function openAiResponses(text: string, cuts: readonly number[]): Promise<Shown> {
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  const first = client.responses.stream({ model: 'team', input: text });
  for await (const event of first) events.push(event);
  const { id: previous, ...response } = await first.finalResponse();
  const approval = { approval_request_id: asked({ id: previous, ...response }), approve: true };
  const input = [{ type: 'mcp_approval_response' as const, ...approval }];
  const begun = { model: 'team', previous_response_id: previous, input };
  let id = '';
  let last = 0;
  for (const most of [...cuts, Infinity]) {
    const stream =
      id === ''
        ? await client.responses.create({ ...begun, stream: true })
        : await client.responses.retrieve(id, { stream: true, starting_after: last });
    let had = 0;
    for await (const event of stream) {
      events.push(event);
      last = event.sequence_number;
      if (event.type === 'response.created') ({ id } = event.response);
      if ((had += 1) === most) break;
    }
  }
  const end = events.at(-1);
  const { status = '', output_text: answer } = await client.responses.retrieve(id);
  return {
    status: end?.type === 'response.completed' ? status : '',
    answer,
    paths: pathsBy(stepsIn(events)),
  };
}

/** A connection that ends after so many frames. */
function cutAfter(most: number): typeof fetch {
  return async (...given) => {
    const { body, status, headers } = await fetch(...given);
    if (most === Infinity || !body) return new Response(body, { status, headers });
    let [text, had] = ['', 0];
    const decoder = new TextDecoder();
    const cutting = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        text += decoder.decode(bytes, { stream: true });
        const frames = text.split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) {
          controller.enqueue(new TextEncoder().encode(`${frame}\n\n`));
          if (frame.includes('data: ')) had += 1;
          if (had === most) return controller.terminate();
        }
      },
    });
    return new Response(body.pipeThrough(cutting), { status, headers });
  };
}

async function post(path: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}
