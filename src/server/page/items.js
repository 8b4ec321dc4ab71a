// What hangs on a step: tables, charts, graphs, documents, and the names of files.
import { visible } from './visible.js';
import { drawChart, drawGraph } from './pictures.js';

const rowsShown = 8;

export function drawItem(item) {
  switch (item.kind) {
    case 'visualization':
      return shapes[item.shape]?.(item.data) ?? named(item.shape);
    case 'citation':
      return citation(item);
    case 'action':
      return action(item);
    default:
      return named(item.attachment.title ?? item.attachment.url ?? item.attachment.type);
  }
}

const shapes = {
  table: ({ columns = [], rows = [] }) => drawTable(columns, rows),
  graph: ({ nodes, edges = [], columns = [], data = [] }) =>
    nodes ? drawGraph(nodes, edges) : drawTable(columns, data),
  chart: ({ data: [series] = [], layout }) => series?.y && drawChart(series, layout?.title?.text ?? ''),
  documents: ({ searchHits = [] }) => (searchHits.length === 0 ? undefined : drawDocuments(searchHits)),
};

function drawTable(columns, rows) {
  const names = columns.map((column) => column.name ?? column);
  const table = element('table', '');
  const head = table.createTHead().insertRow();
  for (const name of names) head.append(element('th', '', String(name).replaceAll('_', ' ')));
  const body = table.createTBody();
  for (const row of rows.slice(0, rowsShown)) {
    const line = body.insertRow();
    for (const name of names) line.append(cell(row[name]));
  }
  const box = element('div', 'item wide');
  box.append(table);
  if (rows.length > rowsShown) box.append(element('p', 'more', `… ${rows.length - rowsShown} more rows`));
  return box;
}

function cell(value) {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? '');
  return element('td', typeof value === 'number' ? 'number' : '', String(text));
}

function drawDocuments(hits) {
  const box = element('details', 'item');
  box.append(element('summary', '', `${hits.length} passages`));
  for (const { title, content } of hits) {
    box.append(element('p', 'heading', title ?? ''), element('p', 'quote', content ?? ''));
  }
  return box;
}

function citation({ title, url }) {
  const isWeb = /^https?:/.test(url ?? '');
  const made = element(
    isWeb ? 'a' : 'p',
    'item source',
    isWeb || url === undefined ? title : `${title} (${url})`,
  );
  if (isWeb) Object.assign(made, { href: url, target: '_blank', rel: 'noreferrer' });
  return made;
}

function action({ name, data }) {
  const box = element('details', 'item');
  box.append(element('summary', '', name), element('pre', '', JSON.stringify(data, undefined, 2)));
  return box;
}

function named(name) {
  return element('p', 'item source', `+ ${name}`);
}

function element(name, className, text = '') {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = visible(text);
  return made;
}
