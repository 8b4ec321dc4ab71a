const opening = '[ORCHESTRATOR_THINKING]';
const closing = '[/ORCHESTRATOR_THINKING]';

/** A text that arrives in pieces, parted into what is for people and what the model thought aloud. */
export interface Parted {
  /** Whether it stands inside a thought. */
  readonly isInside: boolean;
  /** The beginning of what may become a tag. */
  readonly held: string;
  readonly shown: string;
  readonly thought: string;
}

export const unparted: Parted = { isInside: false, held: '', shown: '', thought: '' };

/** What the next piece brings: any cut of a text gives the same. */
export function part({ isInside, held }: Parted, text: string): Parted {
  const parted = { ...unparted, isInside };
  for (let rest = held + text; ;) {
    const tag = parted.isInside ? closing : opening;
    const at = rest.indexOf(tag);
    const piece = rest.slice(0, at < 0 ? rest.length - beginningOf(tag, rest) : at);
    parted[parted.isInside ? 'thought' : 'shown'] += piece;
    if (at < 0) return { ...parted, held: rest.slice(piece.length) };
    rest = rest.slice(at + tag.length);
    parted.isInside = !parted.isInside;
  }
}

/** The same for a text that is there whole. */
export function partAll(text: string): Pick<Parted, 'shown' | 'thought'> {
  const { isInside, held, shown, thought } = part(unparted, text);
  return isInside ? { shown, thought: thought + held } : { shown: shown + held, thought };
}

/** How many characters at the end of a text could be the beginning of a tag; a tag has its only bracket in front. */
function beginningOf(tag: string, text: string): number {
  const from = text.lastIndexOf('[');
  return from >= 0 && tag.startsWith(text.slice(from)) ? text.length - from : 0;
}
