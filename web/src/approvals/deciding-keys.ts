import { useSource } from '../../../src/react/react.ts';
import { isAway } from '../server.ts';
import { announce } from '../shell/announce.tsx';
import { useTexts } from '../texts/texts.ts';
import { approve, mayApprove, type Deciding } from './decision-bar.tsx';
import type { Keys } from './keys.ts';

/** What each key makes of a question. A approves once all of it was shown; before that it says so. */
export function useDecidingKeys(deciding: Deciding): Keys {
  const t = useTexts();
  const away = useSource(isAway);
  const {
    question,
    mode,
    setMode,
    isShown,
    approval: { allowed },
  } = deciding;
  const agree = (): void => {
    if (away) return;
    if (mayApprove(deciding)) void approve(deciding);
    else if (!isShown) announce(t.inbox.notShown);
  };
  return {
    a: () => mode === 'look' && agree(),
    e: () => allowed.includes('edit') && question.whole?.arguments !== undefined && setMode('edit'),
    r: () => allowed.includes('reject') && setMode('reject'),
    escape: () => setMode('look'),
    'mod+enter': () => mode === 'edit' && agree(),
  };
}
