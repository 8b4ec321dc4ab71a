import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client';

/** A call that the server is working on. */
export interface OpenCall {
  /** Whose call it is: calls of one owner may see each other's log lines and questions. */
  readonly owner: string;
  say(line: string): void;
  ask(question: ElicitRequestParams): Promise<ElicitResult>;
}

/** What a server says without naming a call. */
export interface Calls {
  /** Returns what to do when the call is over. */
  begin(call: OpenCall): () => void;
  say(line: string): void;
  ask(question: ElicitRequestParams): Promise<ElicitResult>;
}

const unclear =
  'The server said something while calls of several runs were open; it does not say for whom, so it is not shown.';

/**
 * The calls of one server. Before 2026 the protocol does not say which call a log line or a question belongs to. It goes
 * to the newest call if all open ones are of one run, and to nobody otherwise: it could be about another person's data.
 */
export function openCalls(): Calls {
  const open = new Set<OpenCall>();
  const told = new WeakSet<OpenCall>();
  const addressee = (): OpenCall | undefined => {
    const all = [...open];
    const newest = all.at(-1);
    if (all.every((call) => call.owner === newest?.owner)) return newest;
    for (const call of all) {
      if (!told.has(call)) call.say(unclear);
      told.add(call);
    }
    return undefined;
  };
  return {
    begin(call) {
      open.add(call);
      return () => void open.delete(call);
    },
    say: (line) => addressee()?.say(line),
    ask: (question) => addressee()?.ask(question) ?? Promise.resolve({ action: 'decline' }),
  };
}
