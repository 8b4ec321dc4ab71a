import './editing.css';
import { Dialog } from '@base-ui/react/dialog';
import { useEffect, useState, type ReactNode } from 'react';
import { holdLeaving } from '../routing.tsx';
import { useEditingTexts } from '../texts/editing-texts.ts';
import type { DraftKeeper, Kept } from './draft-keeper.ts';
import { watchClosing } from './leaving.ts';

/** Asks before somebody leaves what would be lost. */
export function LeaveDialog<T, K extends Kept>({
  keeper,
}: {
  readonly keeper: DraftKeeper<T, K>;
}): ReactNode {
  const e = useEditingTexts();
  const [leave, setLeave] = useState<() => void>();
  useEffect(() => watchClosing(keeper, window), [keeper]);
  useEffect(
    () =>
      holdLeaving((go) => {
        if (!keeper.isStuck) return false;
        setLeave(() => go);
        return true;
      }),
    [keeper],
  );
  return (
    <Dialog.Root open={leave !== undefined} onOpenChange={(isOpen) => !isOpen && setLeave(undefined)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog narrow" role="alertdialog" data-leaving>
          <div className="dialog-head">
            <Dialog.Title>{e.leave.title}</Dialog.Title>
          </div>
          <div className="dialog-body">
            <Dialog.Description>{e.leave.lost}</Dialog.Description>
            <p className="leave-ways">
              <Dialog.Close className="button small primary">{e.leave.stay}</Dialog.Close>
              <button type="button" className="button small" onClick={leave} data-leave>
                {e.leave.go}
              </button>
            </p>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
