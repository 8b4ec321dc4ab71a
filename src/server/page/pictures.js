// Charts and graphs as SVG, drawn from their data.
import { visible } from './visible.js';
const svgNamespace = 'http://www.w3.org/2000/svg';

/** Bars or a line of values, with the first and the last label and the highest value. */
export function drawChart({ type, x = [], y }, title) {
  const [width, height, foot, top] = [640, 200, 22, 30];
  const high = Math.max(...y, 0) || 1;
  const low = Math.min(...y, 0);
  const at = (value) => top + (height - top - foot) * (1 - (value - low) / (high - low));
  const slot = width / y.length;
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title });
  picture.append(label([0, 14], title), label([0, top - 2], high.toLocaleString(), 'faint'));
  if (type === 'scatter') {
    const points = y.map((value, i) => `${(i + 0.5) * slot},${at(value)}`).join(' ');
    picture.append(svg('polyline', { points, class: 'line' }));
  } else
    for (const [i, value] of y.entries()) {
      const [from, to] = [at(value), at(0)].toSorted((one, other) => one - other);
      const bar = svg('rect', {
        x: (i + 0.12) * slot,
        width: slot * 0.76,
        y: from,
        height: Math.max(1, to - from),
        class: 'bar',
      });
      bar.append(svg('title', {}, `${x[i] ?? i + 1}: ${value.toLocaleString()}`));
      picture.append(bar);
    }
  const every = Math.ceil(y.length / 12);
  for (const [i, name] of x.entries())
    if (i % every === 0) picture.append(label([(i + 0.5) * slot, height - 6], String(name), 'faint middle'));
  return boxed(picture);
}

/** Nodes in columns by what they are, joined as their edges say. */
export function drawGraph(nodes, edges) {
  const columns = [...Map.groupBy(nodes, ({ label: kind }) => kind)];
  const [gap, row, top] = [230, 17, 30];
  const tall = Math.max(...columns.map(([, members]) => members.length));
  const places = new Map();
  const picture = svg('svg', { viewBox: `0 0 ${columns.length * gap} ${top + tall * row + 6}`, role: 'img' });
  const [ties, names] = [svg('g', {}), svg('g', {})];
  for (const [column, [kind, members]] of columns.entries()) {
    names.append(label([column * gap + 12, 14], `${kind} (${members.length})`, 'faint'));
    for (const [i, { id, properties = {} }] of members.entries()) {
      const [x, y] = [column * gap + 12, top + (i + 0.5) * row];
      places.set(id, [x, y]);
      const state = /down|lost|failed/.test(String(properties.status ?? properties.state)) ? ' bad' : '';
      names.append(svg('circle', { cx: x, cy: y, r: 3.5, class: `node${state}` }), label([x + 8, y + 4], id));
    }
  }
  for (const { source, target } of edges) {
    const [from, to] = [places.get(source), places.get(target)];
    if (!from || !to) continue;
    const middle = (from[0] + to[0]) / 2 + (from[0] === to[0] ? 60 : 0);
    ties.append(svg('path', { d: `M${from} C${middle},${from[1]} ${middle},${to[1]} ${to}`, class: 'edge' }));
  }
  picture.append(ties, names);
  picture.style.width = `${columns.length * gap}px`;
  return boxed(picture);
}

function boxed(picture) {
  const box = document.createElement('div');
  box.className = 'item wide picture';
  box.append(picture);
  return box;
}

function label([x, y], text, className = '') {
  return svg('text', { x, y, class: className }, text);
}

function svg(name, attributes, text) {
  const made = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = visible(String(text));
  return made;
}
