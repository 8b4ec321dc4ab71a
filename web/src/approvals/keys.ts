import { useEffect, useRef } from 'react';

/** What `mod+enter` is on this machine. */
export const modEnter = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘↵' : 'Ctrl ↵';

/** Keys by their names, `mod+` in front where one is held. */
export type Keys = Readonly<Record<string, () => unknown>>;

/** Single keys that do something, as long as nobody writes. `mod+enter` also while one writes. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => press(current.current, event);
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}

/** Does what belongs to a key that was pressed, and nothing more comes of it then. */
export function press(keys: Keys, event: KeyboardEvent): void {
  const isMod = event.metaKey || event.ctrlKey;
  const name = `${isMod ? 'mod+' : ''}${event.key.toLowerCase()}`;
  // What happens in an editor in a shadow is told as if it happened to what is around it.
  const target = (event.composedPath()[0] ?? event.target) as HTMLElement;
  const isWriting = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable;
  if (event.altKey || event.defaultPrevented || (isWriting && !isMod && event.key !== 'Escape')) return;
  const does = keys[name];
  if (!does) return;
  event.preventDefault();
  does();
}
