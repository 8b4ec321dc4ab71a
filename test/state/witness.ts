// What stand-in agents have in common: every request is in a file before it is answered, and whoever tests can hold the
// answers back.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { sendJson, type Visit } from '../../demo/loopback-server.ts';

export interface Witness {
  /** What was asked, written down and synced. */
  note(heard: object): void;
  /** The work of a turn; what it says waits for the gate. */
  turn<T>(work: (gate: Promise<void>) => Promise<T>): Promise<T>;
  /** `GET /log?atLeast=n`, `POST /hold`, `POST /release`; false for other paths. */
  route(visit: Visit): Promise<boolean>;
}

export function witness(file: string): Witness {
  const underWay = new Set<Promise<unknown>>();
  const waiting = new Set<() => void>();
  let held: PromiseWithResolvers<void> | undefined;
  const lines = (): string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const log = async (atLeast: number): Promise<unknown[]> => {
    while (lines().length < atLeast) await new Promise<void>((resolve) => waiting.add(resolve));
    return lines().map((line) => JSON.parse(line) as unknown);
  };
  return {
    note(heard) {
      appendFileSync(file, `${JSON.stringify(heard)}\n`, { flush: true });
      for (const wake of waiting) wake();
      waiting.clear();
    },
    async turn(work) {
      const turn = work(held?.promise ?? Promise.resolve());
      underWay.add(turn);
      try {
        return await turn;
      } finally {
        underWay.delete(turn);
      }
    },
    async route({ method, path, query, response }) {
      const asked = `${method} ${path}`;
      if (asked === 'GET /log') sendJson(response, 200, await log(Number(query.get('atLeast') ?? 0)));
      else if (asked === 'POST /hold') {
        held = Promise.withResolvers();
        sendJson(response, 200, {});
      } else if (asked === 'POST /release') {
        held?.resolve();
        held = undefined;
        await Promise.allSettled(underWay);
        sendJson(response, 200, {});
      } else return false;
      return true;
    },
  };
}
