export interface Chart {
  readonly title: string;
  readonly kind: 'bar' | 'line';
  readonly labels: readonly string[];
  readonly values: readonly number[];
}

const [width, height] = [720, 360];
const frame = { left: 70, right: 20, top: 50, bottom: 60 };

/** A chart as an SVG that needs nothing from outside. */
export function chartSvg({ title, kind, labels, values }: Chart): string {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const [innerWidth, innerHeight] = [width - frame.left - frame.right, height - frame.top - frame.bottom];
  const y = (value: number): number => frame.top + innerHeight * (1 - (value - low) / (high - low || 1));
  const slot = innerWidth / values.length;
  const x = (i: number): number => frame.left + slot * (i + 0.5);
  const shapes = kind === 'bar' ? bars(values, { x, y, slot }) : line(values, { x, y });
  const every = Math.ceil(labels.length / 12);
  const names = labels.map((label, i) =>
    i % every === 0
      ? `<text x="${round(x(i))}" y="${height - frame.bottom + 18}" text-anchor="middle">${escape(shortened(label))}</text>`
      : '',
  );
  const marks = ticks(low, high).map(
    (tick) =>
      `<line x1="${frame.left}" x2="${width - frame.right}" y1="${round(y(tick))}" y2="${round(y(tick))}" stroke="#d8dce3"/>` +
      `<text x="${frame.left - 8}" y="${round(y(tick) + 4)}" text-anchor="end">${tick.toLocaleString('en-AU')}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}"`,
    ' font-family="system-ui, sans-serif" font-size="12" fill="#3b4252">',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${frame.left}" y="28" font-size="16" font-weight="600">${escape(title)}</text>`,
    ...marks,
    shapes,
    ...names,
    '</svg>',
  ].join('');
}

interface Scale {
  readonly x: (i: number) => number;
  readonly y: (value: number) => number;
}

function bars(values: readonly number[], { x, y, slot }: Scale & { readonly slot: number }): string {
  const thick = Math.max(1, slot * 0.7);
  return values
    .map((value, i) => {
      const top = Math.min(y(value), y(0));
      const tall = Math.max(1, Math.abs(y(value) - y(0)));
      return `<rect x="${round(x(i) - thick / 2)}" y="${round(top)}" width="${round(thick)}" height="${round(tall)}" fill="#4c6ef5"><title>${value}</title></rect>`;
    })
    .join('');
}

function line(values: readonly number[], { x, y }: Scale): string {
  const points = values.map((value, i) => `${round(x(i))},${round(y(value))}`).join(' ');
  return `<polyline points="${points}" fill="none" stroke="#4c6ef5" stroke-width="2"/>`;
}

/** Four or five round numbers between the ends. */
function ticks(low: number, high: number): number[] {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => span / each <= 5) ?? power * 10;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function shortened(label: string): string {
  return label.length > 12 ? `${label.slice(0, 11)}…` : label;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
