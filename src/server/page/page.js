// Follows the newest run, or the one in the address. The tree comes whole from the server; the stream says when to look.
import { ask, problem, signInByLink } from './ask.js';
import { drawRun, tick } from './draw.js';
import { visible } from './visible.js';

const byId = (id) => document.getElementById(id);
const pauseBetweenLooks = 150;
const pauseBetweenLists = 2000;

let shown;
let stream;
let looking;
let lookAgain = false;

async function begin() {
  const { apps, defaultApp } = await ask('/api/apps');
  const choice = byId('ask').elements.app;
  choice.replaceChildren(...apps.map(({ name }) => new Option(name, name, false, name === defaultApp)));
  choice.hidden = apps.length < 2;
  document.querySelector('main').hidden = false;
  addEventListener('hashchange', () => void list());
  setInterval(tick, 200);
  await list();
  setInterval(() => void list(), pauseBetweenLists);
}

/** The newest runs; the first one is followed unless the address names another. */
async function list() {
  const { runs } = await ask('/api/runs?limit=30').catch((thrown) => {
    problem(thrown);
    return { runs: [] };
  });
  if (runs.length === 0 && shown !== undefined) return;
  byId('empty').hidden = runs.length > 0;
  // Whoever has asked a few things knows what to do.
  byId('strip').hidden = runs.length > 3;
  const chosen = location.hash.slice(1) || runs[0]?.run;
  byId('runs').replaceChildren(...runs.map((row) => listed(row, row.run === chosen)));
  if (chosen !== undefined && chosen !== shown) await follow(chosen);
}

function listed({ run, title, damaged, ...row }, isChosen) {
  const status = damaged === undefined ? row.status : 'damaged';
  const item = document.createElement('li');
  const link = document.createElement('a');
  const mark = document.createElement('span');
  const name = document.createElement('span');
  link.href = `#${run}`;
  if (isChosen) link.setAttribute('aria-current', 'true');
  mark.className = `mark ${status}`;
  mark.textContent = marks[status] ?? '·';
  mark.title = status;
  name.textContent = visible(title);
  link.append(mark, name);
  item.append(link);
  return item;
}

const marks = {
  completed: '✓',
  failed: '✗',
  stopped: '■',
  waiting: '◆',
  paused: '‖',
  running: '●',
  damaged: '✗',
};

async function follow(run) {
  shown = run;
  stream?.close();
  const tree = await look();
  if (tree === undefined || tree.endedAt !== undefined) return;
  stream = new EventSource(`/api/runs/${encodeURIComponent(run)}/events?after=${tree.seq}`);
  stream.onmessage = () => void look();
  // A server that goes away is waited for: the browser comes back with its cursor by itself.
  stream.onerror = () => void look();
}

/** One look at a time, and one more if something came meanwhile. */
async function look() {
  if (looking) {
    lookAgain = true;
    return looking;
  }
  looking = lookOnce();
  try {
    return await looking;
  } finally {
    looking = undefined;
  }
}

async function lookOnce() {
  for (;;) {
    lookAgain = false;
    const run = shown;
    const tree = await ask(`/api/runs/${encodeURIComponent(run)}`).catch(() => undefined);
    if (tree && run === shown) drawRun(tree, command);
    if (!lookAgain) return tree;
    await new Promise((resolve) => setTimeout(resolve, pauseBetweenLooks));
  }
}

/** Tell the server something; what it is refused for, if it is. */
async function command(path, body = {}) {
  const thrown = await ask(path, body).then(
    () => undefined,
    (refusal) => refusal,
  );
  await look();
  if (thrown) problem(thrown);
  return thrown;
}

for (const what of ['pause', 'resume', 'stop'])
  byId(what).addEventListener('click', () => void command(`/api/runs/${encodeURIComponent(shown)}/${what}`));

byId('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  void start(event.target.elements);
});

async function start({ text, app }) {
  try {
    const { run } = await ask('/api/runs', { app: app.value, input: { text: text.value } });
    text.value = '';
    location.hash = run;
  } catch (thrown) {
    problem(thrown);
  }
}

await signInByLink();
await begin();
