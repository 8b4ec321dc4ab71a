import { useSyncExternalStore } from 'react';

/** Up to so many pixels there is room for one column only, and up to so many for no column beside the main one. */
const queries = { column: matchMedia('(max-width: 900px)'), beside: matchMedia('(max-width: 1180px)') };

const looks = {
  column: lookOf(queries.column),
  beside: lookOf(queries.beside),
};

function lookOf(query: MediaQueryList): { subscribe(changed: () => void): () => void; get(): boolean } {
  return {
    subscribe(changed) {
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    get: () => query.matches,
  };
}

/** Whether there is no room for one column, or for one beside it. */
export function useNarrow(room: keyof typeof queries): boolean {
  return useSyncExternalStore(looks[room].subscribe, looks[room].get);
}
