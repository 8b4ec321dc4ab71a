import type { Mutant } from '../mutant.ts';

export const limitMutants: readonly Mutant[] = [
  {
    name: 'journals are not counted',
    file: 'src/stores/memory/tables.ts',
    find: 'hold(run.row.tenant, more);',
    replace: '',
    test: 'src/stores/memory.test.ts',
    only: '[B5]',
  },
  {
    name: 'a page of entries is not bounded in bytes',
    file: 'src/server/routes/runs.ts',
    find: 'if (entries.length > 0 && size > entryPage) break;',
    replace: '',
    test: 'src/server/routes/runs.test.ts',
    only: '[V40]',
  },
  {
    name: 'whoever goes away before a socket is opened keeps a place',
    file: 'src/server/http/sockets.ts',
    find: 'if (raw.destroyed) return;\n        note',
    replace: 'note',
    test: 'src/server/runs/quotas.test.ts',
    only: 'whoever goes away',
  },
  {
    name: 'a tenant works on any number of large answers at once',
    file: 'src/server/http/heavy.ts',
    find: 'if (own > 0 && own + work.bytes > share) continue;',
    replace: '',
    test: 'src/server/http/heavy.test.ts',
  },
  {
    name: 'a run writes as much as it likes',
    file: 'src/engine/record/writer.ts',
    find: 'if (this.#bytes >= bytes + beyond.bytes)',
    replace: 'if (false)',
    test: 'src/engine/record/space.test.ts',
    only: 'counts what is kept',
  },
  {
    name: 'a worker takes up all that is due at once',
    file: 'src/worker/worker.ts',
    find: 'if (this.#executions.size >= most) await',
    replace: 'if (this.#executions.size < 0) await',
    test: 'src/worker/hands-full.test.ts',
  },
  {
    name: 'a worker with its hands full waits for its own runs alone',
    file: 'src/worker/worker.ts',
    find: 'clock.sleep(lookAgain, AbortSignal.any([signal, room.signal]))',
    replace: 'clock.sleep(3_600_000, AbortSignal.any([signal, room.signal]))',
    test: 'src/worker/hands-full.test.ts',
    only: 'in the end',
  },
];
