import { ArrowRight, X } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import { portsIn } from '../canvas/model/draft.ts';
import type { DraftNode } from '../canvas/model/draft-graph.ts';
import * as edits from '../canvas/model/edits.ts';
import { nameOf } from '../canvas/model/node-name.ts';
import { nodePath, partAt, partOf, type NodePath } from '../canvas/model/node-path.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';
import type { Desk } from './desk.ts';

/** Where a node leads: the edges, and another, without a pointer. */
export function LeadsTo({
  desk,
  node,
  path,
}: {
  readonly desk: Desk;
  readonly node: DraftNode;
  readonly path: NodePath;
}): ReactNode {
  const w = useWorkflowTexts();
  const { editing, edited } = desk;
  const ports = portsIn(node);
  const within = partOf(path);
  const { nodes = [], edges = [] } = partAt(edited.draft, within) ?? {};
  const own = edges.filter(({ from }) => from === node.id);
  const nameFor = (id: string): string => visible(nameOf(nodes.find((one) => one.id === id) ?? { id }));
  if (ports.length === 0) return undefined;
  return (
    <section className="leads-to" aria-label={w.edit.leadsTo}>
      <h3 className="lb">{w.edit.leadsTo}</h3>
      {own.length === 0 && <p className="hint">{w.edit.leadsNowhere}</p>}
      <ul>
        {own.map(({ to, port = 'done' }) => (
          <li key={`${port} ${to}`}>
            <span className="mono quiet">{visible(port)}</span>
            <ArrowRight className="icon small" aria-hidden />
            <span className="cut">{nameFor(to)}</span>
            <button
              type="button"
              className="button ghost small square"
              aria-label={w.edit.cut(visible(port), nameFor(to))}
              onClick={() => editing.edit(edits.disconnected({ from: path, port, to: nodePath(within, to) }))}
            >
              <X className="icon small" aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <Connect
        ports={ports}
        targets={nodes.filter(({ id, type }) => id !== node.id && type !== 'start')}
        connect={(port, to) => editing.edit(edits.connected({ from: path, port, to: nodePath(within, to) }))}
      />
    </section>
  );
}

function Connect({
  ports,
  targets,
  connect,
}: {
  readonly ports: readonly string[];
  readonly targets: readonly DraftNode[];
  readonly connect: (port: string, to: string) => void;
}): ReactNode {
  const w = useWorkflowTexts();
  const [port, setPort] = useState(ports[0] ?? 'done');
  const [to, setTo] = useState('');
  const chosen = targets.some((node) => node.id === to) ? to : (targets[0]?.id ?? '');
  const by = ports.includes(port) ? port : (ports[0] ?? 'done');
  const send = (event: FormEvent): void => {
    event.preventDefault();
    connect(by, chosen);
  };
  return (
    <form className="case" onSubmit={send}>
      <select
        className="field"
        aria-label={w.edit.port}
        value={by}
        onChange={({ target }) => setPort(target.value)}
        data-connect-port
      >
        {ports.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <select
        className="field"
        aria-label={w.edit.target}
        value={chosen}
        onChange={({ target }) => setTo(target.value)}
        data-connect-to
      >
        {targets.map((node) => (
          <option key={node.id} value={node.id}>
            {visible(nameOf(node))}
          </option>
        ))}
      </select>
      <button type="submit" className="button small" disabled={chosen === ''} data-connect>
        {w.edit.connect}
      </button>
    </form>
  );
}
