import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, type ReactNode } from 'react';
import UPlot from 'uplot';
import { visible } from '../../../src/run/visible.ts';
import { theme } from '../shell/theme.ts';
import type { ChartData } from './shapes.ts';

const height = 210;
const dashes = [[], [5, 3], [2, 3], [8, 3, 2, 3]];

/** Lines and bars with axes that say what they measure. */
export function Chart({ chart }: { readonly chart: ChartData }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    let plot: UPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      plot = new UPlot(optionsFor(chart, current), dataOf(chart), current);
    };
    draw();
    const sized = new ResizeObserver(() => plot?.setSize({ width: current.clientWidth, height }));
    sized.observe(current);
    // Colours come from the style sheet, and a canvas does not follow it.
    const system = matchMedia('(prefers-color-scheme: dark)');
    const leave = theme.subscribe(() => requestAnimationFrame(draw));
    system.addEventListener('change', draw);
    return () => {
      leave();
      system.removeEventListener('change', draw);
      sized.disconnect();
      plot?.destroy();
    };
  }, [chart]);
  return <div className="plot" ref={place} role="img" aria-label={described(chart)} />;
}

/** In words what the lines show: how many values, from where to where, and what the axes measure. */
function described({ title, series, x, y }: ChartData): string {
  const measured = (value: number): string => `${value}${unitOf(y)}`;
  const told = series.map(({ name, values }) => {
    const numbers = values.filter((value) => value !== null);
    return `${name} ${values.length}: ${measured(Math.min(...numbers))} – ${measured(Math.max(...numbers))}`.trim();
  });
  const axes = [x.title, y.title].filter((one) => one !== '').join(' / ');
  return visible([title, ...told, axes].filter((one) => one !== '').join('. '));
}

function unitOf({ unit }: ChartData['y']): string {
  return unit === '' ? '' : ` ${unit}`;
}

/** Dates are a line of time, numbers one of numbers, and names stand one after the other. */
function placesOf({ x: { values } }: ChartData): {
  readonly at: readonly number[];
  readonly is: 'time' | 'number' | 'name';
} {
  if (values.every((value) => typeof value === 'number')) return { at: values, is: 'number' };
  const times = values.map((value) =>
    /^\d{4}-\d\d-\d\d/.test(String(value)) ? Date.parse(String(value)) / 1_000 : NaN,
  );
  if (times.every((time) => Number.isFinite(time))) return { at: times, is: 'time' };
  return { at: values.map((_, i) => i), is: 'name' };
}

function dataOf(chart: ChartData): UPlot.AlignedData {
  return [[...placesOf(chart).at], ...chart.series.map(({ values }) => [...values])];
}

/** What the style sheet says, for a canvas, which does not follow it. */
interface Look {
  readonly colour: (name: string) => string;
  readonly axis: { readonly stroke: string; readonly font: string; readonly labelFont: string };
  readonly lines: { readonly stroke: string; readonly width: number };
}

function lookOf(place: HTMLElement): Look {
  const style = getComputedStyle(place);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const font = `11px ${colour('--sans')}`;
  return {
    colour,
    axis: { stroke: colour('--ink-3'), font, labelFont: font },
    lines: { stroke: colour('--line'), width: 1 },
  };
}

function optionsFor(chart: ChartData, place: HTMLElement): UPlot.Options {
  const look = lookOf(place);
  const { is } = placesOf(chart);
  const isBars = chart.series.some((one) => one.isBars);
  const isWide = is === 'name' || isBars;
  const around = (_: UPlot, low: number, high: number): [number, number] => [low - 0.6, high + 0.6];
  return {
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false },
    scales: {
      x: { time: is === 'time', ...(isWide ? { range: around } : {}) },
      y: { range: (_, low, high) => spread(low, high, isBars) },
    },
    axes: [acrossAxis(chart, look, is === 'name'), upAxis(chart, look)],
    series: [{}, ...chart.series.map((one, i) => drawnSeries(one, i, look))],
  };
}

function acrossAxis({ x }: ChartData, { axis, lines }: Look, isNames: boolean): UPlot.Axis {
  const names = (_: UPlot, splits: number[]): string[] =>
    splits.map((at) => visible(String(x.values[at] ?? '')));
  return {
    ...axis,
    grid: { show: false },
    ticks: lines,
    ...(isNames ? { values: names, incrs: [1, 2, 5, 10, 20, 50] } : {}),
    ...(x.title === '' ? {} : { label: visible(x.title), labelSize: 16 }),
  };
}

function upAxis({ y }: ChartData, { axis, lines }: Look): UPlot.Axis {
  const unit = visible(unitOf(y));
  return {
    ...axis,
    grid: lines,
    ticks: { show: false },
    size: 56,
    values: (_, splits) => splits.map((value) => `${value.toLocaleString()}${unit}`),
    ...(y.title === '' ? {} : { label: visible(y.title), labelSize: 16 }),
  };
}

function drawnSeries(
  { name, isBars }: ChartData['series'][number],
  at: number,
  { colour }: Look,
): UPlot.Series {
  const stroke = colour(`--series-${(at % 4) + 1}`);
  const paths = UPlot.paths.bars?.({ size: [0.7, 60] });
  const line = { label: visible(name), stroke, width: 1.75, dash: dashes[at % dashes.length] ?? [] };
  if (!isBars || !paths) return line;
  const fill = `color-mix(in oklab, ${stroke} 70%, transparent)`;
  return { ...line, paths, fill, width: 0, points: { show: false } };
}

/** Bars begin at nothing; a line has some room above and below. */
function spread(low: number, high: number, isBars: boolean): [number, number] {
  if (isBars) return [Math.min(0, low), Math.max(0, high) * 1.05 || 1];
  const room = (high - low) * 0.08 || 1;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}
