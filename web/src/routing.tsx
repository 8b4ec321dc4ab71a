import { useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent, type ReactNode } from 'react';
import { placeAt, type Place } from './places.ts';

export { addressOf, type Place } from './places.ts';

const moved = new EventTarget();

export function navigate(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  moved.dispatchEvent(new Event('moved'));
}

function subscribe(changed: () => void): () => void {
  const events = ['popstate', 'hashchange'] as const;
  moved.addEventListener('moved', changed);
  for (const event of events) addEventListener(event, changed);
  return () => {
    moved.removeEventListener('moved', changed);
    for (const event of events) removeEventListener(event, changed);
  };
}

/** The place that the address bar names. */
export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.hash);
  return placeAt(new URL(address, location.origin));
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
