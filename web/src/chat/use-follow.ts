import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** So close to the end counts as being there. Pixels. */
const near = 80;

export interface Follow {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** Steps that came below what is read since somebody scrolled up. */
  readonly missed: number;
  readonly toEnd: () => void;
}

/** Keeps what is newest in view, until somebody scrolls up to read; then nothing moves under them. */
export function useFollow(steps: () => number, isLive: boolean): Follow {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  // What an answer speaks of appears below it: whoever reads the answer is not taken away from it.
  const follows = useRef(isLive);
  follows.current = isLive;
  const seen = useRef(0);
  const [missed, setMissed] = useState(0);
  const toEnd = useCallback(() => {
    isFollowing.current = true;
    setMissed(0);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, []);
  useEffect(() => {
    const { current: outer } = box;
    const { current: inner } = content;
    if (!outer || !inner) return undefined;
    let lastTop = outer.scrollTop;
    const scrolled = (): void => {
      const left = outer.scrollHeight - outer.scrollTop - outer.clientHeight;
      if (left < near) isFollowing.current = true;
      else if (outer.scrollTop < lastTop - 2) isFollowing.current = false;
      lastTop = outer.scrollTop;
      if (!isFollowing.current) return;
      seen.current = steps();
      setMissed(0);
    };
    const keep = (): void => {
      if (isFollowing.current && follows.current) {
        outer.scrollTop = outer.scrollHeight;
        lastTop = outer.scrollTop;
        seen.current = steps();
      } else if (!isFollowing.current) setMissed(Math.max(0, steps() - seen.current));
    };
    // Scrolled before the browser lays out, what is below what grows or folds stays where it is; a size is told only after it.
    const changed = new MutationObserver(keep);
    const grown = new ResizeObserver(keep);
    outer.addEventListener('scroll', scrolled, { passive: true });
    changed.observe(inner, { childList: true, characterData: true, subtree: true });
    grown.observe(inner);
    return () => {
      outer.removeEventListener('scroll', scrolled);
      changed.disconnect();
      grown.disconnect();
    };
  }, [steps]);
  return { box, content, missed, toEnd };
}
