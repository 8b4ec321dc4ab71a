const opening = '[ORCHESTRATOR_THINKING]';
const closing = '[/ORCHESTRATOR_THINKING]';

/** Where a text that arrives in pieces stands: inside a thought or not, with the beginning of what may become a tag. */
export interface Tagged {
  readonly isInside: boolean;
  readonly held: string;
}

export const untagged: Tagged = { isInside: false, held: '' };

interface Parted {
  readonly shown: string;
  readonly thought: string;
}

/** Parts what is for people from what the model thought aloud, piece by piece: any cut of a text gives the same. */
export function part(state: Tagged, text: string): readonly [Tagged, Parted] {
  let rest = state.held + text;
  let { isInside } = state;
  const parted = { shown: '', thought: '' };
  for (;;) {
    const tag = isInside ? closing : opening;
    const at = rest.indexOf(tag);
    const piece = rest.slice(0, at < 0 ? rest.length - beginningOf(tag, rest) : at);
    parted[isInside ? 'thought' : 'shown'] += piece;
    if (at < 0) return [{ isInside, held: rest.slice(piece.length) }, parted];
    rest = rest.slice(at + tag.length);
    isInside = !isInside;
  }
}

/** The same for a text that is there whole. */
export function partAll(text: string): Parted {
  const [{ isInside, held }, { shown, thought }] = part(untagged, text);
  return isInside ? { shown, thought: thought + held } : { shown: shown + held, thought };
}

/** How many characters at the end of a text could be the beginning of a tag; a tag has its only bracket in front. */
function beginningOf(tag: string, text: string): number {
  const from = text.lastIndexOf('[');
  return from >= 0 && tag.startsWith(text.slice(from)) ? text.length - from : 0;
}
