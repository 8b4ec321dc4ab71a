import { useEffect, useRef, useState } from 'react';
import type { Files } from './use-files.ts';

/** Files may be dropped anywhere: a browser would leave the page for whatever is dropped beside the place for it. Says whether some are held over it. */
export function useDropping(files: Files): boolean {
  const current = useRef(files);
  current.current = files;
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(event.type === 'dragover');
      if (event.type === 'drop') current.current.add(event.dataTransfer.files);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const listening = new AbortController();
    const { signal } = listening;
    addEventListener('dragover', over, { signal });
    addEventListener('drop', over, { signal });
    addEventListener('dragleave', leave, { signal });
    return () => listening.abort();
  }, []);
  return isOver;
}
