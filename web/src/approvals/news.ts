import { useEffect, useRef, type ReactNode } from 'react';
import { useApprovals } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { announce } from '../shell/announce.tsx';
import { useTexts } from '../texts/texts.ts';

/** Says that a new question has come, on whatever screen one is, and where the system shows such things. */
export function News(): ReactNode {
  const t = useTexts();
  const { is, approvals } = useApprovals();
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    if (is !== 'ready') return;
    const before = known.current;
    known.current = new Set(approvals.map(({ id }) => id));
    const fresh = before === undefined ? [] : approvals.filter(({ id }) => !before.has(id));
    for (const { title } of fresh) {
      announce(t.inbox.newOne(visible(title)));
      if ('Notification' in window && Notification.permission === 'granted' && document.hidden)
        new Notification('Vitrine', { body: t.inbox.newOne(visible(title)) });
    }
  }, [is, approvals, t]);
  return undefined;
}
