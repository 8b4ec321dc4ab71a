import type { ReactNode } from 'react';
import type { FlatTree, RunStore } from '../../../src/client/client.ts';
import { beginningOf } from '../chat/summary.ts';
import { formatIn } from '../format.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import type { TimeFigures } from './figures.ts';

interface Shown {
  readonly run: RunStore;
  readonly tree: FlatTree;
  readonly times: TimeFigures;
}

interface Figure {
  readonly name: string;
  readonly value: ReactNode;
  readonly is: string;
}

function useFigures({ run, tree, times }: Shown): readonly Figure[] {
  const t = useTexts();
  const format = formatIn(useLanguage());
  const calls = beginningOf(run.entries())?.limits.calls;
  const { spent, steps } = tree;
  const reused = steps.filter(({ reusedFrom }) => reusedFrom !== undefined).length;
  return [
    { name: t.trace.wall, value: format.duration(times.wall), is: 'wall' },
    { name: t.run.models, value: format.duration(times.model), is: 'model' },
    { name: t.run.tools, value: format.duration(times.tool), is: 'tool' },
    { name: t.trace.people, value: format.duration(times.person), is: 'person' },
    ...(times.nobody > 0
      ? [{ name: t.trace.nobody, value: format.duration(times.nobody), is: 'nobody' }]
      : []),
    { name: t.run.tokens, value: format.count(spent.tokens), is: 'tokens' },
    {
      name: t.run.calls,
      value:
        calls === undefined
          ? format.count(spent.calls)
          : t.run.of(format.count(spent.calls), format.count(calls)),
      is: 'calls',
    },
    { name: t.run.repeats, value: format.count(reused), is: 'repeats' },
    {
      name: t.trace.cost,
      value:
        tree.usage.cost === undefined ? (
          <span className="quiet">{t.trace.noPrices}</span>
        ) : (
          format.cost(tree.usage.cost)
        ),
      is: 'cost',
    },
    { name: t.trace.stepCount, value: format.count(steps.length), is: 'steps' },
  ];
}

/** The run in figures, at the moment that is shown. */
export function TraceFigures(shown: Shown): ReactNode {
  const t = useTexts();
  return (
    <dl className="trace-figures" tabIndex={0} aria-label={t.trace.figures}>
      {useFigures(shown).map(({ name, value, is }) => (
        <div key={is} data-figure={is}>
          <dt>
            {is === 'model' || is === 'tool' || is === 'person' ? (
              <i className={`swatch bar-${is}`} />
            ) : undefined}
            {name}
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
