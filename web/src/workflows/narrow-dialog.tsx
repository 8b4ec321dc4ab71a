import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';

interface NarrowDialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** A form above the page. */
export function NarrowDialog({ title, isOpen, setOpen, children }: NarrowDialogProps): ReactNode {
  const w = useWorkflowTexts();
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog narrow">
          <div className="dialog-head">
            <Dialog.Title>{title}</Dialog.Title>
            <span className="grow" />
            <Dialog.Close className="button ghost small square" aria-label={w.run.cancel}>
              <X className="icon small" aria-hidden />
            </Dialog.Close>
          </div>
          <div className="dialog-body">{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
