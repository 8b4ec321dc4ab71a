import type { Source } from '../../src/client/client.ts';
import { useSource } from '../../src/react/react.ts';

/** Up to so many pixels there is room for one column only, and up to so many for no column beside the main one. */
const queries = { column: matchMedia('(max-width: 900px)'), beside: matchMedia('(max-width: 1180px)') };

const looks = {
  column: lookOf(queries.column),
  beside: lookOf(queries.beside),
};

function lookOf(query: MediaQueryList): Source<boolean> {
  return {
    subscribe: (changed) => {
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    getSnapshot: () => query.matches,
  };
}

/** Whether there is no room for one column, or for one beside it. */
export function useNarrow(room: keyof typeof queries): boolean {
  return useSource(looks[room]);
}
