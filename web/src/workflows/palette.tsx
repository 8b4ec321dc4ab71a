import { Dialog } from '@base-ui/react/dialog';
import { Plus, Search, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { dragged } from '../canvas/use-dropping.ts';
import type { NodeType } from '../canvas/model/draft-graph.ts';
import { nodeIcons } from '../canvas/node-icon.tsx';
import { useNarrow } from '../use-narrow.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';

const groups = {
  people: ['human', 'prompt', 'agent', 'team'],
  flow: ['branch', 'loop', 'map', 'review', 'merge', 'wait', 'failsafe', 'start', 'end'],
  work: ['tool', 'http', 'code', 'template', 'retrieve', 'guard', 'workflow'],
} as const satisfies Readonly<Record<string, readonly NodeType[]>>;

interface PaletteProps {
  readonly add: (type: NodeType) => void;
}

/** Where there is room for it, it stands beside the graph; else it rises as a sheet. */
export function Palette({ add }: PaletteProps): ReactNode {
  return useNarrow('column') ? <PaletteSheet add={add} /> : <Choices add={add} />;
}

function PaletteSheet({ add }: PaletteProps): ReactNode {
  const w = useWorkflowTexts();
  const [isOpen, setOpen] = useState(false);
  const addOne = (type: NodeType): void => {
    setOpen(false);
    add(type);
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger className="button add-step" data-add-step>
        <Plus className="icon small" aria-hidden />
        {w.edit.palette}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog sheet">
          <div className="dialog-head">
            <Dialog.Title>{w.edit.palette}</Dialog.Title>
            <span className="grow" />
            <Dialog.Close className="button ghost small square" aria-label={w.run.cancel}>
              <X className="icon small" aria-hidden />
            </Dialog.Close>
          </div>
          <div className="dialog-body">
            <Choices add={addOne} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** What can be added: a click puts it after what is chosen, dragging puts it anywhere. */
function Choices({ add }: PaletteProps): ReactNode {
  const w = useWorkflowTexts();
  const [text, setText] = useState('');
  const fits = (type: NodeType): boolean =>
    `${type} ${w.types[type]}`.toLowerCase().includes(text.trim().toLowerCase());
  const shown = Object.entries(groups).map(([group, types]) => [group, types.filter(fits)] as const);
  return (
    <nav className="palette" aria-label={w.edit.palette}>
      <div className="search">
        <Search className="icon small" aria-hidden />
        <input
          type="search"
          value={text}
          placeholder={w.edit.find}
          aria-label={w.edit.find}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {shown.every(([, types]) => types.length === 0) && <p className="quiet p-2">{w.edit.nothing}</p>}
      {shown.map(
        ([group, types]) =>
          types.length > 0 && (
            <section key={group}>
              <h2>{w.edit.groups[group as keyof typeof groups]}</h2>
              {types.map((type) => (
                <Choice key={type} type={type} add={add} />
              ))}
            </section>
          ),
      )}
    </nav>
  );
}

function Choice({ type, add }: PaletteProps & { readonly type: NodeType }): ReactNode {
  const w = useWorkflowTexts();
  const Icon = nodeIcons[type];
  return (
    <button
      type="button"
      draggable
      onDragStart={(event) => event.dataTransfer.setData(dragged, type)}
      onClick={() => add(type)}
      data-add={type}
    >
      <Icon className="icon" aria-hidden />
      {w.types[type]}
    </button>
  );
}
