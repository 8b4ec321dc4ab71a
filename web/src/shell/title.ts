import { useEffect } from 'react';
import { useWaiting } from './shell.tsx';

/** The title of the page says where one is, and what waits. */
export function useTitle(title: string): void {
  const waiting = useWaiting();
  useEffect(() => {
    const badge = waiting > 0 ? `(${waiting}) ` : '';
    document.title = `${badge}${title === '' ? '' : `${title} · `}Vitrine`;
  }, [title, waiting]);
}
