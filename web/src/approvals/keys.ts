import { useEffect, useRef } from 'react';

/** Single keys that do something, as long as nobody writes. `mod+enter` also while one writes. */
export function useKeys(keys: Readonly<Record<string, () => unknown>>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const isMod = event.metaKey || event.ctrlKey;
      const name = `${isMod ? 'mod+' : ''}${event.key.toLowerCase()}`;
      // What happens in an editor in a shadow is told as if it happened to what is around it.
      const target = (event.composedPath()[0] ?? event.target) as HTMLElement;
      const isWriting = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable;
      if (event.altKey || event.defaultPrevented || (isWriting && !isMod && event.key !== 'Escape')) return;
      const does = current.current[name];
      if (!does) return;
      event.preventDefault();
      does();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}
