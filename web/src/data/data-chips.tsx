import { Dialog } from '@base-ui/react/dialog';
import { ChartLine, FileText, Share2, Table2, X, type LucideIcon } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { FlatStep } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import type { Item } from '../../../src/run/values.ts';
import { Bones } from '../shell/states.tsx';
import { useTexts, type Texts } from '../texts/texts.ts';

const Figure = lazy(() => import('./figure.tsx').then((made) => ({ default: made.Figure })));

type Visualization = Extract<Item, { readonly kind: 'visualization' }>;

const icons: Readonly<Record<Visualization['shape'], LucideIcon>> = {
  graph: Share2,
  table: Table2,
  documents: FileText,
  chart: ChartLine,
};

/** So many stand in a row; the others are with the answer and in the panel. */
const most = 3;

/** What a step found, as buttons that open it. */
export function DataChips({ step }: { readonly run: string; readonly step: FlatStep }): ReactNode {
  const found = (step.items ?? []).flatMap((item) => (item.kind === 'visualization' ? [item] : []));
  if (found.length === 0) return undefined;
  return (
    <span className="row-chips">
      {found.slice(0, most).map((item, i) => (
        <DataChip key={i} item={item} title={step.title} />
      ))}
    </span>
  );
}

export function DataChip({
  item,
  title,
}: {
  readonly item: Visualization;
  readonly title: string;
}): ReactNode {
  const t = useTexts();
  const [isOpen, setOpen] = useState(false);
  const Icon = icons[item.shape];
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger className="chip" aria-label={`${t.data.view}: ${sizeOf(item, t)}`}>
        <Icon className="icon" aria-hidden />
        {sizeOf(item, t)}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <header className="dialog-head">
            <Dialog.Title className="cut">{visible(title)}</Dialog.Title>
            <span className="grow" />
            <Dialog.Close className="button ghost small square" aria-label={t.data.close}>
              <X className="icon" aria-hidden />
            </Dialog.Close>
          </header>
          <div className="dialog-body">
            <Suspense fallback={<Bones />}>
              <Figure item={item} title={title} rows={200} />
            </Suspense>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** What it is, and how much of it. */
function sizeOf({ shape, data }: Visualization, t: Texts): string {
  const many = (name: string): number => {
    const list: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined;
    return Array.isArray(list) ? list.length : 0;
  };
  if (shape === 'table') return t.data.rows(Math.max(many('rows'), many('data')));
  if (shape === 'documents') return t.data.passages(Math.max(1, many('searchHits')));
  return shape === 'graph' ? t.data.graph : t.data.chart;
}
