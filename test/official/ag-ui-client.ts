// The official AG-UI client, as it is, on answers that a test has in its hands.
import { HttpAgent, type Interrupt, type Message } from '@ag-ui/client';
import { vi } from 'vitest';

/** What a client has made of what it was told. */
export interface Heard {
  readonly messages: readonly Message[];
  readonly state: unknown;
  readonly interrupts: readonly Interrupt[];
  /** Everything it was told in the order in which it was told, in a few words each. */
  readonly order: readonly string[];
  /** How it ended: as its last event says, or with what the client could not bear. */
  readonly end: string;
  /** What it printed. */
  readonly printed: readonly string[];
}

export const protobuf = 'application/vnd.ag-ui.event+proto';

interface Given {
  readonly type?: string;
  /** What it has from before. */
  readonly messages?: readonly Message[];
}

/** The client asks, and is given these bytes. */
export async function heard(
  body: string | Uint8Array<ArrayBuffer>,
  { type = 'text/event-stream', messages = [] }: Given = {},
): Promise<Heard> {
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': type } });
  const url = 'http://127.0.0.1/';
  return listen(new HttpAgent({ url, threadId: 'c', fetch, initialMessages: [...messages] }));
}

/** What an agent makes of its next answer. */
export async function listen(
  agent: HttpAgent,
  parameters: Parameters<HttpAgent['runAgent']>[0] = {},
): Promise<Heard> {
  const order: string[] = [];
  let end = 'nothing';
  const printed = await quietly(async () => {
    try {
      await agent.runAgent(parameters, {
        onEvent: ({ event }) => void order.push(words(event)),
        onRunFinishedEvent: (given) => void (end = given.outcome),
        onRunErrorEvent: ({ event }) => void (end = `error: ${event.message}`),
      });
    } catch (error) {
      end = `broken: ${String(error)}`;
    }
  });
  return {
    messages: agent.messages,
    state: agent.state,
    interrupts: agent.pendingInterrupts,
    order,
    end,
    printed,
  };
}

function words(event: object): string {
  const { type, metadata: _, timestamp: __, ...rest } = event as Record<string, unknown>;
  return `${String(type)} ${JSON.stringify(rest)}`;
}

/** What was printed meanwhile. */
export async function quietly(work: () => Promise<void>): Promise<readonly string[]> {
  const printed: string[] = [];
  const names = ['log', 'info', 'warn', 'error', 'debug'] as const;
  const spies = names.map((name) =>
    vi.spyOn(console, name).mockImplementation((...given) => void printed.push(given.map(String).join(' '))),
  );
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return printed;
}
