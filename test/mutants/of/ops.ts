import type { Mutant } from '../mutant.ts';

export const opsMutants: readonly Mutant[] = [
  {
    name: 'whatever keeps the lock from being taken is somebody who has it',
    file: 'src/stores/folder/lock.ts',
    find: 'if (!isBusy(cause)) throw cause;',
    replace: '',
    test: 'src/stores/folder/folder.test.ts',
    only: 'fails for another reason',
  },
  {
    name: 'all runs of a folder count for whoever looks first',
    file: 'src/stores/rules/tables.ts',
    find: 'Map.groupBy(wanted, ({ tenant }) => tenant)',
    replace: "Map.groupBy(wanted, () => 't')",
    test: 'src/stores/memory.test.ts',
    only: 'counted for each tenant',
  },
  {
    name: 'what a stop cut off is erased with its run',
    file: 'src/front/erase.ts',
    find: 'if (doubts.length > 0) throw inDoubt(doubts);',
    replace: '',
    test: 'test/scenarios/operator.test.ts',
    only: 'a payment under way',
  },
  {
    name: 'a holder that stands still is asked at once',
    file: 'src/server/folder/holder.ts',
    find: 'return Holder.parse(await askHolder(folder, readHolder));',
    replace: 'return { process: 0, url: null, apps: [] };',
    test: 'src/server/folder/home.test.ts',
    only: 'stands still',
  },
  {
    name: 'where a server of tools is, is told to all',
    file: 'src/server/compose/tool-servers.ts',
    find: "told: away('', inWords)",
    replace: 'told: away(place, reason)',
    test: 'src/server/compose/tool-servers.test.ts',
    only: 'each outage',
  },
  {
    name: 'a call that finds nobody tells nobody',
    file: 'src/tools/mcp/mcp.ts',
    find: 'if (!signal.aborted && isLoss(error)) lost();',
    replace: '',
    test: 'src/tools/mcp/http.test.ts',
    only: 'a call that finds nobody',
  },
];
