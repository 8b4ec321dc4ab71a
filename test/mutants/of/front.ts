import type { Mutant } from '../mutant.ts';

const front = 'src/front/front.test.ts';

export const frontMutants: readonly Mutant[] = [
  {
    name: 'a run is created in nobody’s hand beside a worker',
    file: 'src/front/front.ts',
    find: 'await createRun(world, request, worker?.name)',
    replace: 'await createRun(world, request, undefined)',
    test: front,
    only: 'a worker beside takes it in the same commit',
  },
  {
    name: 'a notice does not name the command it was',
    file: 'src/engine/recovery/control.ts',
    find: '{ ...event, command: sent.id }',
    replace: 'event',
    test: front,
    only: 'a command is put into the mailbox once',
  },
  {
    name: 'a command is given up before a lost hint can be repaired',
    file: 'src/front/command-run.ts',
    find: 'const patience = 10_000;',
    replace: 'const patience = 1_000;',
    test: front,
    only: 'a hint that got lost',
  },
  {
    name: 'a run is erased before it has ended elsewhere',
    file: 'src/front/erase.ts',
    find: 'if (entry) await endOf(store.journal, row.run, entry.seq);',
    replace: 'void entry;',
    test: front,
    only: 'what its stop cut off elsewhere',
  },
  {
    name: 'what is asked of a run without its flow waits',
    file: 'src/front/command-run.ts',
    find: 'await worker.record(row);',
    replace: 'if (row) return false;',
    test: front,
    only: 'E253',
  },
  {
    name: 'a folder is served by one process and worked on by none',
    file: 'src/server/compose/compose.ts',
    find: "if (takes === 'nothing') expectShared(settings, 'serve without working');",
    replace: '',
    test: 'src/server/halves.test.ts',
    only: 'has no halves',
  },
  {
    name: 'a server that works on nothing takes what it starts',
    file: 'src/server/folder/open-folder.ts',
    find: "if (takes === 'nothing') return undefined;",
    replace: "if (takes === 'nothing') takes = 'asked';",
    test: 'src/server/halves.test.ts',
    only: 'what is started, approved',
  },
  {
    name: 'the socket of a folder is for everybody',
    file: 'src/server/folder/folder-socket.ts',
    find: 'chmodSync(made, 0o600);',
    replace: 'chmodSync(made, 0o666);',
    test: 'src/server/folder/home.test.ts',
    only: 'is for its owner alone',
  },
  {
    name: 'the owner of a folder sees nothing of others',
    file: 'src/server/access/owners-way.ts',
    find: "...(typeof tenant === 'string' ? { tenant } : {})",
    replace: "...(typeof tenant === 'string' ? {} : {})",
    test: 'src/server/folder/folder-socket.test.ts',
    only: 'what others keep there',
  },
];
