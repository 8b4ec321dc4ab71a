import { flushSync } from 'react-dom';

/** As long as a fold takes. Milliseconds. */
const duration = 200;
/** What is folded is a line. Pixels. */
const line = 32;

/**
 * Folds something by itself, under the eyes of whoever reads: what stands below stays where it is as far as the thread can
 * be scrolled, and comes up from there. Whoever wants nothing to move sees it where it comes to rest.
 */
export function foldGently(element: HTMLElement | null, fold: () => void): void {
  const isSeen = element?.checkVisibility() === true && !document.hidden;
  if (!isSeen || matchMedia('(prefers-reduced-motion: reduce)').matches) return fold();
  const room = element.closest('.thread')?.scrollTop ?? 0;
  const height = element.offsetHeight;
  if (room === 0 || room >= height - line) return comeUp(element, fold);
  // First as much as is made up for by scrolling, then the rest: browsers know either as no jump, both at once as one.
  element.style.overflow = 'hidden';
  element.style.height = `${height - room}px`;
  requestAnimationFrame(() =>
    setTimeout(() =>
      comeUp(element, () => {
        element.removeAttribute('style');
        fold();
      }),
    ),
  );
}

function comeUp(element: HTMLElement, fold: () => void): void {
  const below = standingBelow(element);
  const [first] = below;
  if (!first) return fold();
  const before = first.getBoundingClientRect().top;
  flushSync(fold);
  // The thread is scrolled by what hears of the change, which is told before this.
  queueMicrotask(() => {
    const moved = before - first.getBoundingClientRect().top;
    if (Math.abs(moved) < 1) return;
    const from = { transform: `translateY(${moved}px)` };
    for (const one of below)
      one.animate([from, { transform: 'none' }], { duration, easing: 'ease-out', composite: 'add' });
  });
}

const whole = '.thread-content, .trace-chat';

/** What comes after it, beside it and beside all around it, as far as the thread goes and the eye reaches. */
function standingBelow(element: Element): readonly Element[] {
  const below: Element[] = [];
  for (let at: Element | null = element; at && !at.matches(whole); at = at.parentElement)
    for (let next = at.nextElementSibling; next; next = next.nextElementSibling) below.push(next);
  return below.filter((one) => one.getBoundingClientRect().top < innerHeight);
}
