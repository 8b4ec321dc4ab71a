import type { RunFilter, RunRow } from '../store.ts';
import { fits, listSize } from '../rules/tables.ts';

interface Listed {
  readonly row: RunRow;
}

/** Runs of each tenant and of each conversation, as they came: a page of them costs what is on it and what is passed by. */
export interface Lists {
  add(run: Listed): void;
  remove(run: Listed): void;
  /** Newest first. */
  list(filter: RunFilter): readonly RunRow[];
}

export function memoryLists(): Lists {
  const lists = new Map<string, Listed[]>();
  const numbers = new Map<string, number>();
  let added = 0;
  const numberOf = (run: string): number => numbers.get(run) ?? 0;
  const keysOf = ({ tenant, conversation }: Pick<RunRow, 'tenant' | 'conversation'>): readonly string[] => [
    keyOf(tenant),
    keyOf(tenant, conversation),
  ];
  return {
    add(run) {
      added += 1;
      numbers.set(run.row.run, added);
      for (const key of keysOf(run.row)) {
        const list = lists.get(key);
        if (list) list.push(run);
        else lists.set(key, [run]);
      }
    },
    remove(run) {
      numbers.delete(run.row.run);
      for (const key of keysOf(run.row)) {
        const list = lists.get(key) ?? [];
        list.splice(list.indexOf(run), 1);
        if (list.length === 0) lists.delete(key);
      }
    },
    list(filter) {
      const { tenant, conversation, after, limit = listSize } = filter;
      const list = lists.get(keyOf(tenant, conversation)) ?? [];
      const found: RunRow[] = [];
      const before = after === undefined ? Infinity : numberOf(after);
      for (let at = list.length - 1; at >= 0 && found.length < limit; at -= 1) {
        const row = list[at]?.row;
        if (row && numberOf(row.run) < before && fits(row, filter)) found.push(row);
      }
      return found;
    },
  };
}

function keyOf(tenant: string, conversation?: string): string {
  return JSON.stringify([tenant, conversation]);
}
