// Follows the newest run: the stream of its entries says when something changed, the flat tree says what is there.
const marks = { pending: '○', running: '●', waiting: '◆', completed: '✓', reused: '↺', failed: '✗' };
const lookAgain = 1_000;
const pause = 150;
const shownText = 4_000;

const place = (id) => document.getElementById(id);
let following;
let isDue = false;

async function json(path) {
  const response = await fetch(path, { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}

async function look() {
  try {
    const { runs } = await json('/api/runs?limit=1');
    const newest = runs[0]?.run;
    if (newest === undefined) place('state').textContent = 'There is no run yet.';
    else if (newest !== following) follow(newest);
  } catch {
    place('state').textContent = 'The server is not there; trying again …';
  }
  setTimeout(look, lookAgain);
}

function follow(run) {
  following = run;
  const stream = new EventSource(`/api/runs/${run}/events`);
  const changed = () => {
    if (run !== following) return stream.close();
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      void show(run);
    }, pause);
  };
  stream.onmessage = changed;
  void show(run);
}

async function show(run) {
  if (run !== following) return;
  const tree = await json(`/api/runs/${run}`).catch(() => undefined);
  if (tree === undefined || run !== following) return;
  place('state').textContent = `${tree.status}, ${tree.steps.length} steps`;
  place('title').textContent = tree.input?.text ?? tree.title ?? run;
  const children = Map.groupBy(tree.steps, ({ parent }) => parent);
  place('tree').replaceChildren(...(children.get(0) ?? []).map((step) => item(step, children)));
  place('answer').hidden = typeof tree.answer !== 'string';
  place('answer').textContent = tree.answer ?? '';
}

function item(step, children) {
  const li = element('li', step.status);
  const line = element('div', 'step');
  const mark = element('span', 'mark', marks[step.status] ?? '–');
  mark.setAttribute('aria-label', step.status);
  line.append(mark, element('span', 'name', step.title || step.kind));
  if (step.milliseconds !== undefined)
    line.append(element('time', '', `${(step.milliseconds / 1000).toFixed(1)} s`));
  li.append(line);
  for (const { message } of step.notices ?? []) li.append(element('p', 'note', message));
  const below = children.get(step.id) ?? [];
  if (step.text) li.append(element('p', 'text', step.text.slice(-shownText)));
  if (step.failure) li.append(element('p', 'note', step.failure.message));
  if (below.length > 0) {
    const list = element('ol', '');
    list.append(...below.map((child) => item(child, children)));
    li.append(list);
  }
  return li;
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

void look();
