import { Search } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { dragged } from '../canvas/use-dropping.ts';
import type { NodeType } from '../canvas/model/draft-graph.ts';
import { nodeIcons } from '../canvas/node-icon.tsx';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';

const groups = {
  people: ['human', 'prompt', 'agent', 'team'],
  flow: ['branch', 'loop', 'map', 'review', 'merge', 'wait', 'failsafe', 'start', 'end'],
  work: ['tool', 'http', 'code', 'template', 'retrieve', 'guard', 'workflow'],
} as const satisfies Readonly<Record<string, readonly NodeType[]>>;

/** What can be added: a click puts it after what is chosen, dragging puts it anywhere. */
export function Palette({ add }: { readonly add: (type: NodeType) => void }): ReactNode {
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

function Choice({
  type,
  add,
}: {
  readonly type: NodeType;
  readonly add: (type: NodeType) => void;
}): ReactNode {
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
