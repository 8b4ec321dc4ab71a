import { useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent, type ReactNode } from 'react';
import { base } from './base.ts';
import { addressesBelow, placeAt, type Place } from './places.ts';

export type { Place } from './places.ts';

/** A place as an address. */
export const addressOf = addressesBelow(base);

const moved = new EventTarget();

/** Whether somebody is to stay for now. Whoever holds them lets them `go`, or not. */
type Hold = (go: () => void) => boolean;
const holds = new Set<Hold>();

/** Asks `hold` before another screen is gone to, also back and forward. */
export function holdLeaving(hold: Hold): () => void {
  shown = location.href;
  holds.add(hold);
  return () => void holds.delete(hold);
}

export function navigate(address: string, { replace = false } = {}): void {
  if (!isHeld(address, location.href, () => go(address, replace))) go(address, replace);
}

function go(address: string, replace: boolean): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  tell();
}

function isHeld(to: string, from: string, leave: () => void): boolean {
  const isElsewhere = new URL(to, from).pathname !== new URL(from).pathname;
  return isElsewhere && [...holds].some((hold) => hold(leave));
}

/** The address of what is on the screen: back and forward change the bar first. */
let shown = '';

function tell(): void {
  shown = location.href;
  moved.dispatchEvent(new Event('moved'));
}

function hearBack(): void {
  const there = location.href;
  if (isHeld(there, shown || there, () => go(there, false))) history.pushState(null, '', shown);
  else tell();
}

function subscribe(changed: () => void): () => void {
  // It is the same for all, and added once.
  for (const event of ['popstate', 'hashchange']) addEventListener(event, hearBack);
  moved.addEventListener('moved', changed);
  return () => moved.removeEventListener('moved', changed);
}

/** The place that the address bar names. */
export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.hash);
  return placeAt(new URL(address, location.origin), base);
}

/** The whole address. */
export function useHere(): string {
  return useSyncExternalStore(subscribe, () => location.href);
}

/** A link within the app. With a key held it is a link like any other. */
export function Link({
  to,
  children,
  onClick,
  ...rest
}: {
  readonly to: string;
  readonly children: ReactNode;
} & AnchorHTMLAttributes<HTMLAnchorElement>): ReactNode {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
