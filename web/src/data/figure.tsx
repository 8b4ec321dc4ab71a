import { Download, Table2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import type { Item } from '../../../src/run/values.ts';
import { useTexts } from '../texts/texts.ts';
import { Graph } from './graph.tsx';
import { save } from './save.ts';
import { chartTable, drawableOf, type ChartData, type DocumentData, type Drawable } from './shapes.ts';
import { Table } from './table.tsx';

const Chart = lazy(() => import('./chart.tsx').then((made) => ({ default: made.Chart })));

type Visualization = Extract<Item, { readonly kind: 'visualization' }>;

/** A graph, table, chart or list of documents, where it is spoken of. */
export function Figure({
  item,
  title,
  rows = 5,
}: {
  readonly item: Visualization;
  readonly title: string;
  readonly rows?: number;
}): ReactNode {
  const drawable = useMemo(() => drawableOf(item), [item]);
  return (
    <figure className="card figure" data-shape={item.shape}>
      <Drawn drawable={drawable} title={title} rows={rows} />
    </figure>
  );
}

function Drawn({
  drawable,
  title,
  rows,
}: {
  readonly drawable: Drawable;
  readonly title: string;
  readonly rows: number;
}): ReactNode {
  const t = useTexts();
  switch (drawable.is) {
    case 'table':
      return <Table table={drawable.table} title={title} shown={rows} />;
    case 'graph':
      return (
        <>
          <header>
            <h3 className="cut">{visible(title)}</h3>
            <span className="quiet num">{t.data.nodes(drawable.graph.nodes.length)}</span>
            <span className="figure-tools">
              <SaveJson name={title} data={drawable.graph} />
            </span>
          </header>
          <Graph graph={drawable.graph} label={visible(title)} />
        </>
      );
    case 'chart':
      return <ChartFigure chart={drawable.chart} title={title} />;
    case 'documents':
      return <Documents documents={drawable.documents} title={title} />;
    case 'raw':
      return (
        <>
          <header>
            <h3 className="cut">{visible(title)}</h3>
            <span className="quiet">{t.data.wrongShape}</span>
          </header>
          <pre className="mono scroll" tabIndex={0}>
            {visible(JSON.stringify(drawable.data, null, 2) ?? '').slice(0, 20_000)}
          </pre>
        </>
      );
  }
}

function SaveJson({ name, data }: { readonly name: string; readonly data: unknown }): ReactNode {
  const t = useTexts();
  return (
    <button
      type="button"
      className="button ghost small square"
      aria-label={t.data.download}
      onClick={() => save(`${name}.json`, 'application/json', JSON.stringify(data, null, 2))}
    >
      <Download className="icon" aria-hidden />
    </button>
  );
}

function ChartFigure({ chart, title }: { readonly chart: ChartData; readonly title: string }): ReactNode {
  const t = useTexts();
  const [isTable, setTable] = useState(false);
  const name = visible(chart.title || title);
  if (isTable)
    return (
      <Table table={chartTable(chart)} title={name} shown={50}>
        <button type="button" className="button ghost small" onClick={() => setTable(false)}>
          {t.data.asChart}
        </button>
      </Table>
    );
  return (
    <>
      <header>
        <h3 className="cut">{name}</h3>
        <span className="figure-tools">
          <button
            type="button"
            className="button ghost small square"
            aria-label={t.data.asTable}
            onClick={() => setTable(true)}
          >
            <Table2 className="icon" aria-hidden />
          </button>
          <SaveJson name={name} data={chart} />
        </span>
      </header>
      {chart.series.length > 1 && (
        <ul className="legend">
          {chart.series.map(({ name: one }, i) => (
            <li key={i} data-series={(i % 4) + 1}>
              {visible(one)}
            </li>
          ))}
        </ul>
      )}
      <Suspense fallback={<div className="plot" />}>
        <Chart chart={chart} />
      </Suspense>
    </>
  );
}

function Documents({
  documents,
  title,
}: {
  readonly documents: DocumentData;
  readonly title: string;
}): ReactNode {
  const t = useTexts();
  const { content, hits } = documents;
  return (
    <>
      <header>
        <h3 className="cut">{visible(title)}</h3>
        <span className="quiet num">{t.data.passages(Math.max(1, hits.length))}</span>
      </header>
      {hits.length === 0 && <p className="passage">{visible(content)}</p>}
      <ol className="passages">
        {hits.map((hit, i) => (
          <li key={i}>
            <details open={hits.length <= 3}>
              <summary>
                <span className="cut">{visible(hit.title)}</span>
                {hit.score !== undefined && (
                  <span className="quiet num ml-auto">{hit.score.toLocaleString()}</span>
                )}
              </summary>
              <p className="passage">{visible(hit.content)}</p>
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}
