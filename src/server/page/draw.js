/** Draws the flat tree of a run. Steps that are there already are changed in place, so that nothing jumps. */
const byId = (id) => document.getElementById(id);
const marks = {
  pending: '○',
  running: '●',
  waiting: '◆',
  paused: '‖',
  completed: '✓',
  failed: '✗',
  skipped: '–',
  stopped: '■',
  reused: '↻',
  abandoned: '×',
};

let current;
let elements = new Map();

export function drawRun(tree, command) {
  if (current?.run !== tree.run) {
    elements = new Map();
    byId('steps').replaceChildren();
  }
  current = tree;
  document.querySelector('article').hidden = false;
  text(byId('title'), tree.title);
  text(byId('status'), tree.stopping ? 'stopping' : tree.status);
  text(byId('spent'), spent(tree));
  const isOver = tree.endedAt !== undefined;
  byId('pause').hidden = isOver || tree.status === 'paused';
  byId('resume').hidden = isOver || tree.status !== 'paused';
  byId('stop').hidden = isOver;
  drawApprovals(tree, command);
  for (const step of tree.steps) drawStep(step);
  const kept = new Set(tree.steps.map(({ id }) => id));
  for (const [id, { item }] of elements) if (!kept.has(id) && elements.delete(id)) item.remove();
  drawAnswer(tree);
  tick();
}

/** What is under way is timed by the clock of whoever looks. */
export function tick() {
  if (!current) return;
  const now = Date.now();
  text(byId('time'), seconds((current.endedAt ?? now) - current.startedAt));
  for (const { step, time } of elements.values()) {
    if (step.openedAt !== undefined) text(time, timeOf(step, now));
  }
}

function timeOf(step, now) {
  const parts = [step.agent, step.model].filter((part) => part !== undefined);
  const took = step.milliseconds ?? (step.status === 'running' ? now - step.openedAt : undefined);
  if (took !== undefined) parts.push(seconds(took));
  return parts.join(' · ');
}

function drawStep(step) {
  const known = elements.get(step.id) ?? newStep(step);
  known.step = step;
  known.item.className = `step ${step.status}`;
  text(known.mark, marks[step.status] ?? '·');
  known.mark.title = step.status;
  text(known.title, step.title || step.kind);
  drawSaid(known.said, step);
}

function newStep({ id, parent }) {
  const item = element('li', 'step');
  const line = element('div', 'line');
  const mark = element('span', 'mark');
  const title = element('span', 'title');
  const time = element('span', 'meta');
  const said = element('div', '');
  const children = element('ul', 'steps');
  line.append(mark, title, time);
  item.append(line, said, children);
  (elements.get(parent)?.children ?? byId('steps')).append(item);
  const made = { item, mark, title, time, said, children, step: {} };
  elements.set(id, made);
  return made;
}

function drawSaid(place, step) {
  const lines = [
    ['said', step.call ? JSON.stringify(step.call.arguments) : undefined],
    ['said', step.text],
    ['said failure', step.failure?.message],
    ...(step.notices ?? []).map(({ message }) => ['said notice', message]),
  ].filter(([, words]) => words !== undefined && words !== '');
  while (place.children.length > lines.length) place.lastChild.remove();
  for (const [i, [name, words]] of lines.entries()) {
    const line = place.children[i] ?? place.appendChild(element('div', name));
    line.className = name;
    const isAtEnd = line.scrollTop + line.clientHeight >= line.scrollHeight - 4;
    text(line, words);
    if (isAtEnd) line.scrollTop = line.scrollHeight;
  }
}

function drawApprovals({ approvals }, command) {
  const open = approvals.filter(({ status }) => status === 'undecided' || status === 'deferred');
  const place = byId('approvals');
  const drawn = [...place.children].map(({ dataset }) => dataset.approval);
  if (drawn.join() === open.map(({ id }) => id).join()) return;
  place.replaceChildren(...open.map((approval) => drawApproval(approval, command)));
}

function drawApproval({ id, title, message, fingerprint, allowed, ...approval }, command) {
  const box = element('div', 'approval');
  box.dataset.approval = id;
  box.append(said('h3', title), said('p', message ?? ''));
  if (approval.arguments !== undefined)
    box.append(said('pre', JSON.stringify(approval.arguments, undefined, 2)));
  for (const decision of ['approve', 'reject'].filter((each) => allowed.includes(each))) {
    const button = said('button', decision[0].toUpperCase() + decision.slice(1));
    if (decision === 'approve') button.className = 'go';
    button.addEventListener('click', () => {
      for (const each of box.querySelectorAll('button')) each.disabled = true;
      void command(`/api/approvals/${encodeURIComponent(id)}`, { decision, fingerprint });
    });
    box.append(button);
  }
  return box;
}

function drawAnswer({ answer, failure, endedAt }) {
  const place = byId('answer');
  place.hidden = endedAt === undefined;
  const words =
    typeof answer === 'string' ? answer : (answer?.preview ?? failure?.message ?? 'There is no answer.');
  text(place, words);
}

function spent({ spent: { turns, calls, tokens } }) {
  return `${turns} turns · ${calls} calls · ${tokens} tokens`;
}

function seconds(milliseconds) {
  const whole = Math.max(0, milliseconds) / 1000;
  return whole < 60 ? `${whole.toFixed(1)} s` : `${Math.floor(whole / 60)} min ${Math.floor(whole % 60)} s`;
}

function element(name, className) {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

function said(name, words) {
  const made = document.createElement(name);
  made.textContent = words;
  return made;
}

function text(place, words) {
  if (place.textContent !== words) place.textContent = words;
}
