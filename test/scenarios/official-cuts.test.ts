// Official clients that have no cursor of their own, cut off at every frame: each comes to the end of one that saw it all.
import { UI_MESSAGE_STREAM_HEADERS, type UIMessage } from 'ai';
import { beforeAll, expect, test, vi } from 'vitest';
import { agUiPrelude } from '../../src/projections/ag-ui/prelude.ts';
import type { AiSdkFrame } from '../../src/projections/ai-sdk/scene.ts';
import { ownProtocols } from '../../src/projections/own-protocols.ts';
import type { Entry } from '../../src/run/events.ts';
import { foldAll, decodeAll } from '../../src/run/entries.ts';
import { aiSdkDone } from '../../src/wire/ai-sdk.ts';
import { sized } from '../long.ts';
import { heard as agUiHeard, quietly } from '../official/ag-ui-client.ts';
import { joined, sse, told as agUiTold } from '../official/ag-ui-faults.ts';
import { Chat } from '../official/ai-sdk-chat.ts';
import { drawn, faultsIn, isFailed, told as aiSdkTold } from '../official/ai-sdk-faults.ts';
import { teamServer } from '../official/openai.ts';
import { giveTask } from '../official/peer-clients.ts';
import { ordersIn, teamAnswer, teamTree } from '../official/team.ts';
import { decideOn, shareServing, textAt, untilAnswer } from '../serving.ts';
import { variedRuns } from '../variety.ts';

/** The run of the team, as a server kept it, and some in which other things happen. */
const runs: (readonly Entry[])[] = [];
beforeAll(() =>
  shareServing(async () => {
    const at = await teamServer();
    const run = textAt(
      await at.ask('/api/runs', { json: { input: { text: 'Frankenstein, please' } } }),
      'run',
    );
    const asked = await untilAnswer(
      () => at.ask('/api/approvals'),
      ({ text }) => text.includes('"id"'),
    );
    await decideOn(at, textAt(asked, 'approvals', 0, 'id'));
    const { text } = await at.ask(`/api/runs/${run}/events`);
    runs.push(decodeAll(text), ...variedRuns(sized(2, 20), 60));
  }),
);

/** The entries after which each answer of a run ends. */
function endsOf(entries: readonly Entry[]): number[] {
  const rests = ownProtocols['ai-sdk'].rests();
  return entries.filter((entry) => rests(entry)).map(({ seq }) => seq);
}

test('[PR16] AG-UI: a client that joins again, at once or after the end', async () => {
  const wrong: string[] = [];
  let cuts = 0;
  for (const entries of runs) {
    const ends = endsOf(entries);
    const frames = perEntry(entries, agUiTold);
    for (const { place, before } of cutsOf(frames)) {
      const first = await agUiHeard(sse(before));
      wrong.push(...first.printed);
      for (const at of new Set([place + 1, entries.length])) {
        const isResting = ends.includes(at);
        const prelude = agUiPrelude(foldAll(entries.slice(0, at)), {
          run: 'r',
          had: first.messages,
          isResting,
        });
        const body = sse([...prelude, ...frames.slice(at).flat()]);
        const faults = await joined(body, entries, first.messages);
        wrong.push(...faults.map((fault) => `after ${before.length}, joined at ${at}: ${fault}`));
        cuts += 1;
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(cuts).toBeGreaterThan(300);
});

test('[PR16] the AI SDK: a chat that resumes, whatever broke its stream', async () => {
  const wrong: string[] = [];
  let cuts = 0;
  for (const entries of runs) {
    const whole = drawn(await read(entries, undefined));
    for (const [answer, end] of endsOf(entries).entries()) {
      const begin = endsOf(entries)[answer - 1] ?? 0;
      const length = aiSdkTold(entries.slice(0, end)).length - aiSdkTold(entries.slice(0, begin)).length;
      for (let frames = 0; frames < length; frames += 1) {
        const message = await read(entries, { answer, frames });
        const faults = faultsIn({ message, fault: undefined, printed: [] }, entries);
        const { steps, calls } = drawn(message);
        const same = JSON.stringify([sorted(steps), sorted(calls)]);
        if (same !== JSON.stringify([sorted(whole.steps), sorted(whole.calls)])) faults.push(same);
        wrong.push(...faults.map((fault) => `answer ${answer}, after ${frames}: ${fault}`));
        cuts += 1;
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(cuts).toBeGreaterThan(150);
});

test('[PR16] A2A: a client that is cut off after any event of a task, asked or agreed to', async () => {
  const at = await teamServer();
  const taken = async (text: string, cuts: readonly number[]): Promise<unknown> => {
    const task = await giveTask(at.url, text, cuts);
    await vi.waitFor(() => expect(task.seen().status).toBe('waiting'));
    await task.approve();
    await task.over;
    return task.seen();
  };
  const whole = { status: 'completed', answer: teamAnswer, paths: teamTree };
  expect(await taken('Frankenstein', [])).toEqual(whole);
  // The first event is the task: one that has not heard of it cannot come back to it.
  for (let cut = 1; cut <= 12; cut += 1)
    expect(await taken(`Frankenstein ${cut}`, [cut, cut]), `after ${cut}`).toEqual(whole);
  expect(ordersIn(at.folder)).toHaveLength(13);
});

type Body = string | ReadableStream<Uint8Array>;

interface Cut {
  readonly answer: number;
  readonly frames: number;
}

/** The message that a chat has in the end: of each answer in turn, one of which broke off and was resumed. */
async function read(entries: readonly Entry[], cut: Cut | undefined): Promise<UIMessage | undefined> {
  const ends = endsOf(entries);
  const bodies: Body[] = [];
  const asking: typeof fetch = async () =>
    new Response(bodies.shift() ?? null, { headers: UI_MESSAGE_STREAM_HEADERS });
  const user: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'x' }] };
  const chat = new Chat('http://127.0.0.1/', { id: 'c', messages: [user], fetch: asking, goesOn: false });
  const printed = await quietly(async () => {
    for (const [answer, end] of ends.entries()) {
      const begin = ends[answer - 1] ?? 0;
      const frames = aiSdkTold(entries.slice(0, end)).slice(aiSdkTold(entries.slice(0, begin)).length);
      const isCut = cut?.answer === answer;
      bodies.push(isCut ? broken(frames.slice(0, cut.frames), cut.frames % 2 === 0) : lines(frames));
      await chat.sendMessage();
      if (!isCut) continue;
      bodies.push(lines(aiSdkTold(entries.slice(0, end), begin)));
      await chat.resumeStream();
    }
  });
  const hasFailed = isFailed(entries);
  expect({ printed, status: chat.status }).toEqual({ printed: [], status: hasFailed ? 'error' : 'ready' });
  return chat.lastMessage;
}

function lines(frames: readonly AiSdkFrame[]): string {
  return frames.map((frame) => `data: ${frame === aiSdkDone ? frame : JSON.stringify(frame)}\n\n`).join('');
}

/** A connection that ends too early, or breaks. */
function broken(frames: readonly AiSdkFrame[], isError: boolean): Body {
  if (!isError) return lines(frames);
  const parts = [new TextEncoder().encode(lines(frames))];
  return new ReadableStream({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else controller.error(new TypeError('network error'));
    },
  });
}

function sorted(value: Record<string, unknown>): unknown {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The frames of each entry. */
function perEntry<T>(
  entries: readonly Entry[],
  tell: (entries: readonly Entry[]) => readonly T[],
): readonly (readonly T[])[] {
  const lengths = entries.map((_, i) => tell(entries.slice(0, i + 1)).length);
  const all = tell(entries);
  return lengths.map((length, i) => all.slice(lengths[i - 1] ?? 0, length));
}

/** Every place at which a client can be cut off: what it had, and the entry it was in. */
function* cutsOf<T>(frames: readonly (readonly T[])[]): Iterable<{ place: number; before: readonly T[] }> {
  for (const [place, ofEntry] of frames.entries())
    for (let had = 0; had < ofEntry.length; had += 1)
      yield { place, before: [...frames.slice(0, place).flat(), ...ofEntry.slice(0, had)] };
}
