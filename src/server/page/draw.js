// Draws the flat tree of a run. Steps that are there already are changed in place, so that nothing jumps.
import { drawApproval } from './approval.js';
import { drawItem } from './items.js';
import { visible } from './visible.js';
import { meaning, written } from './words.js';

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

const over = new Set(['completed', 'failed', 'stopped']);

function statusWords({ damaged, stopping, status }) {
  if (damaged !== undefined) return `damaged: good up to entry ${damaged}`;
  return stopping ? 'stopping' : status;
}

export function drawRun(tree, command) {
  if (current?.run !== tree.run) {
    elements = new Map();
    byId('steps').replaceChildren();
  }
  current = tree;
  document.querySelector('article').hidden = false;
  text(byId('title'), tree.title);
  text(byId('status'), statusWords(tree));
  text(byId('spent'), spent(tree));
  const isOver = tree.endedAt !== undefined || over.has(tree.status);
  byId('pause').hidden = isOver || tree.status === 'paused';
  byId('resume').hidden = isOver || tree.status !== 'paused';
  byId('stop').hidden = isOver;
  drawApprovals(tree, command);
  for (const step of tree.steps) drawStep(step);
  drawTwins(tree.steps);
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
  const took = step.milliseconds ?? (step.status === 'running' ? now - step.openedAt : undefined);
  return took === undefined ? '' : seconds(took);
}

function drawStep(step) {
  const known = elements.get(step.id) ?? newStep(step);
  known.step = step;
  known.item.className = `step ${step.status}`;
  text(known.mark, marks[step.status] ?? '·');
  known.mark.title = step.status;
  text(known.title, step.title || step.kind);
  text(known.who, [step.agent, step.model].filter((part) => part !== undefined).join(' · '));
  drawSaid(known, step);
}

function newStep({ id, parent }) {
  const item = element('li', 'step');
  const line = element('div', 'line');
  const mark = element('span', 'mark');
  const title = element('span', 'title');
  const who = element('span', 'meta who');
  const time = element('span', 'meta');
  const said = element('div', 'said-box');
  const children = element('ul', 'steps');
  line.append(mark, title, who, time);
  item.append(line, said, children);
  (elements.get(parent)?.children ?? byId('steps')).append(item);
  const made = { item, mark, title, who, time, said, children, step: {} };
  elements.set(id, made);
  return made;
}

/** Drawn anew only when something of it has changed; what is under way shows its end. */
function drawSaid(known, step) {
  const { call, text: said = '', failure, notices = [], items = [] } = step;
  const sign = [
    step.status,
    said === current.answer,
    said.length,
    items.length,
    notices.length,
    failure && sentenceOf(failure),
  ].join();
  if (known.sign === sign) return;
  known.sign = sign;
  const lines = [
    call && element('div', 'said data', JSON.stringify(call.arguments)),
    // The answer stands above the steps.
    said !== '' && said !== current.answer && drawText(said, step.status === 'running'),
    failure && element('div', 'said failure', sentenceOf(failure)),
    ...notices.map(({ message }) => element('div', 'said notice', message)),
    ...items.map(drawItem),
  ];
  known.said.replaceChildren(...lines.filter(Boolean));
  if (step.status === 'running') for (const line of known.said.children) line.scrollTop = line.scrollHeight;
}

function drawText(said, isRunning) {
  const words = meaning(said).trim();
  if (isRunning) return element('div', 'said now', words);
  if (/^[[{]"[^\n]*$/.test(words)) return element('div', 'said data', words);
  const made = element('div', 'said');
  made.append(written(words));
  return made;
}

/** A step that only holds one of the same name is not shown itself. */
function drawTwins(steps) {
  for (const [parent, [child, ...others]] of Map.groupBy(steps, (step) => step.parent)) {
    const known = elements.get(parent);
    const isEmpty = known && !known.step.text && !known.step.items && !known.step.notices;
    const isTwin = isEmpty && others.length === 0 && child.title === known.step.title;
    known?.item.classList.toggle('twin', isTwin === true);
  }
}

function drawApprovals({ approvals }, command) {
  const open = approvals.filter(({ status }) => status === 'undecided' || status === 'deferred');
  const place = byId('approvals');
  const drawn = [...place.children].map(({ dataset }) => dataset.approval);
  if (drawn.join() === open.map(({ id }) => id).join()) return;
  place.replaceChildren(...open.map((approval) => drawApproval(approval, command)));
}

/** A failure, with the line it comes from where it is known. */
function sentenceOf({ message, where }) {
  return where === undefined ? message : `${message} (${where})`;
}

function drawAnswer({ answer, failure, endedAt }) {
  const place = byId('answer');
  place.hidden = endedAt === undefined;
  const words =
    typeof answer === 'string' ? answer : (answer?.preview ?? failure?.message ?? 'There is no answer.');
  if (place.dataset.words === words) return;
  place.dataset.words = words;
  place.replaceChildren(written(words));
}

function spent({ spent: { turns, tokens } }) {
  return `${turns} turns · ${tokens.toLocaleString()} tokens`;
}

function seconds(milliseconds) {
  const whole = Math.max(0, milliseconds) / 1000;
  return whole < 60 ? `${whole.toFixed(1)} s` : `${Math.floor(whole / 60)} min ${Math.floor(whole % 60)} s`;
}

function element(name, className, words = '') {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = visible(words);
  return made;
}

function text(place, words) {
  const seen = visible(words);
  if (place.textContent !== seen) place.textContent = seen;
}
