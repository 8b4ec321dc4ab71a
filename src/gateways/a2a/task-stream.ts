import { setTimeout } from 'node:timers/promises';
import type { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { A2AError } from '@a2a-js/sdk/errors';
import { RunError } from '../../run/failure.ts';
import type { TaskReader } from './task-reader.ts';

interface Asking {
  readonly request: SendMessageRequest;
  readonly line: AbortSignal;
}

/** How often a task is come back to, and the first pause before that, which grows. Milliseconds. */
const most = 5;
const firstPause = 100;

/** What is told of a task until it has ended or asks: where the connection is lost before, it is followed again. */
export async function* streamOf(
  client: Client,
  reader: TaskReader,
  { request, line }: Asking,
): AsyncGenerator<StreamResponse> {
  let stream = client.sendMessageStream(request, { signal: line });
  for (let lost = 0; ; lost += 1) {
    const mayComeBack = (): boolean => reader.task !== undefined && lost < most && !line.aborted;
    try {
      yield* stream;
    } catch (thrown) {
      if (!mayComeBack() || reasonOf(thrown)) throw thrown;
    }
    if (reader.isSettled || !mayComeBack()) return;
    await setTimeout(firstPause * 2 ** lost, undefined, { signal: line });
    stream = again(client, reader.task ?? '', line);
  }
}

/** What the official client wraps: the agent's own refusal, or a bound of ours. */
export function reasonOf(thrown: unknown): A2AError | RunError | undefined {
  if (thrown instanceof A2AError || thrown instanceof RunError) return thrown;
  return thrown instanceof Error && thrown.cause !== undefined ? reasonOf(thrown.cause) : undefined;
}

/** The task as it stands, and what comes; of one that has ended, or that cannot be followed, as it stands. */
async function* again(client: Client, id: string, signal: AbortSignal): AsyncGenerator<StreamResponse, void> {
  try {
    yield* client.resubscribeTask({ tenant: '', id }, { signal });
  } catch (thrown) {
    if (!(reasonOf(thrown) instanceof A2AError)) throw thrown;
    const value = await client.getTask({ tenant: '', id, historyLength: undefined }, { signal });
    yield { payload: { $case: 'task', value } };
  }
}
