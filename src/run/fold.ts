import type { Entry, EventOf, Outcome, RunEvent, StepId } from './events.ts';
import { emptyTree, isFinal, isOpen, newStep, type RunTree, type Step } from './tree.ts';

/** Fold one entry into the tree. Entries at or below `tree.seq` are ignored, so replaying is harmless. */
export function fold(tree: RunTree, { seq, at, event }: Entry): void {
  if (seq <= tree.seq) return;
  passTime(tree, at, event);
  tree.seq = seq;
  if (tree.ended) return refuse(tree, event, 'came after the end of the run');
  apply(tree, event);
}

export function foldAll(entries: Iterable<Entry>, tree: RunTree = emptyTree()): RunTree {
  for (const entry of entries) fold(tree, entry);
  return tree;
}

function apply(tree: RunTree, event: RunEvent): void {
  switch (event.type) {
    case 'run.started':
      return start(tree, event);
    case 'run.paused':
      tree.paused = true;
      return touch(stepOf(tree, 0));
    case 'run.resumed':
      tree.paused = false;
      return touch(stepOf(tree, 0));
    case 'run.ended':
      return end(tree, event);
    case 'worker.took':
      tree.epoch = event.epoch;
      if (event.reason === 'recovered') tree.takeovers += 1;
      return;
    case 'stop.requested':
      tree.stopping = true;
      return touch(stepOf(tree, 0));
    case 'phase.entered':
      return withStep(tree, event, (step) => {
        step.phase = { phase: event.phase, batch: event.batch, cycle: event.cycle };
      });
    case 'step.planned':
      return plan(tree, event);
    case 'step.opened':
      return open(tree, event);
    case 'step.started':
      return withStep(tree, event, (step) => {
        if (!isOpen(step) || step.started) return refuse(tree, event, 'is not waiting to start');
        if (event.call) step.call = event.call;
        begin(tree, step);
      });
    case 'title.appended':
      return withStep(tree, event, (step) => {
        step.title += event.text;
      });
    case 'text.appended':
      return withStep(tree, event, (step) => append(step, event));
    case 'item.attached':
      return withStep(tree, event, (step) => void step.items.push(event.item));
    case 'step.closed':
      return withStep(tree, event, (step) => settle(tree, step, event));
    case 'step.retried':
      return withStep(tree, event, (step) => retry(tree, step, event));
    case 'notice.posted':
      return post(tree, event.step, event);
    case 'approval.requested':
      return request(tree, event);
    case 'approval.decided':
      return decide(tree, event);
    case 'state.saved':
      tree.states.set(event.agent, event);
      return;
    case 'message.queued':
      return queue(tree, event);
    case 'message.taken':
      return take(tree, event);
    case 'unknown':
      return post(tree, 0, {
        code: 'UNKNOWN_EVENT',
        message: `This version does not know the event «${event.kind}».`,
      });
  }
}

/** Time counts against the budget only while somebody works: not while parked, and not while paused. */
function passTime(tree: RunTree, at: number, event: RunEvent): void {
  const idle = tree.paused || event.type === 'worker.took' || event.type === 'run.started';
  if (!idle && tree.at > 0) tree.spent.milliseconds += Math.max(0, at - tree.at);
  tree.at = Math.max(tree.at, at);
}

function start(tree: RunTree, event: EventOf<'run.started'>): void {
  if (tree.started) return refuse(tree, event, 'was recorded twice');
  tree.started = event;
  tree.startedAt = tree.at;
  const root = stepOf(tree, 0);
  root.title = typeof event.input.text === 'string' ? event.input.text : (event.input.text.preview ?? '');
  root.openedAt = tree.at;
  touch(root);
}

function end(tree: RunTree, event: EventOf<'run.ended'>): void {
  const outcome = event.outcome === 'stopped' ? 'stopped' : 'abandoned';
  for (const id of [...tree.open].reverse()) close(tree, stepOf(tree, id), outcome);
  for (const step of tree.steps.values()) if (step.status === 'pending') skip(step, tree.at);
  tree.undecided = 0;
  tree.ended = event;
  tree.endedAt = tree.at;
  const root = stepOf(tree, 0);
  root.status = event.outcome;
  root.closedAt = tree.at;
  touch(root);
}

function plan(tree: RunTree, event: EventOf<'step.planned'>): void {
  if (tree.steps.has(event.step)) return refuse(tree, event, 'exists already');
  place(tree, event);
}

function open(tree: RunTree, event: EventOf<'step.opened'>): void {
  const known = tree.steps.get(event.step);
  if (known && known.status !== 'pending') return refuse(tree, event, 'was opened already');
  const step = known ?? place(tree, event);
  step.kind = event.kind;
  step.title = event.title;
  step.status = 'running';
  step.attempt = event.attempt ?? 1;
  step.openedAt = tree.at;
  describe(step, event);
  const parent = stepOf(tree, step.parent);
  if (parent.phase) step.phase = parent.phase;
  if (parent.id !== 0 && !isOpen(parent)) {
    refuse(tree, event, 'was opened in a step that is closed');
    step.status = 'abandoned';
    step.closedAt = tree.at;
    return;
  }
  tree.open.add(step.id);
  if (event.started) begin(tree, step);
}

function describe(step: Step, event: EventOf<'step.opened'>): void {
  if (event.effect) step.effect = event.effect;
  if (event.agent) step.agent = event.agent;
  if (event.model) step.model = event.model;
  if (event.icon) step.icon = event.icon;
  if (event.query) step.query = event.query;
  if (event.reasoning) step.reasoning = event.reasoning;
  if (event.origin) step.origin = event.origin;
  if (event.call) step.call = event.call;
  touch(step);
}

/** A parent that was never opened is the run itself: nothing may vanish from the tree. */
function place(tree: RunTree, event: EventOf<'step.planned'> | EventOf<'step.opened'>): Step {
  const parent = event.parent === event.step ? undefined : tree.steps.get(event.parent);
  if (!parent) refuse(tree, event, 'names a parent that does not exist');
  const home = parent ?? stepOf(tree, 0);
  const step = newStep({ ...event, parent: home.id }, home.depth + 1);
  tree.steps.set(step.id, step);
  tree.nextStep = Math.max(tree.nextStep, step.id + 1);
  home.children.push(step.id);
  touch(home);
  return step;
}

function begin(tree: RunTree, step: Step): void {
  step.started = true;
  step.startedAt = tree.at;
  tree.working += 1;
  charge(tree, step);
}

/** Every attempt is paid for, also one that fails. */
function charge(tree: RunTree, step: Step): void {
  if (step.kind === 'turn') tree.spent.turns += 1;
  if (step.kind === 'call') tree.spent.calls += 1;
}

function append(step: Step, event: EventOf<'text.appended'>): void {
  if (event.channel === 'arguments' && event.call !== undefined) {
    step.requests ??= new Map();
    const request = step.requests.get(event.call);
    if (request) {
      request.pieces.push(event.text);
      if (event.tool) request.tool = event.tool;
    } else step.requests.set(event.call, { id: event.call, tool: event.tool ?? '', pieces: [event.text] });
    return;
  }
  const pieces = step.text[event.channel];
  if (pieces) pieces.push(event.text);
  else step.text[event.channel] = [event.text];
}

function settle(tree: RunTree, step: Step, event: EventOf<'step.closed'>): void {
  if (step.status === 'pending') {
    step.status = event.outcome;
    step.closedAt = tree.at;
  } else if (!isOpen(step)) return refuse(tree, event, 'was closed already');
  else close(tree, step, event.outcome);
  if (event.result !== undefined) step.result = event.result;
  if (event.failure) step.failure = event.failure;
  if (event.reusedFrom !== undefined) step.reusedFrom = event.reusedFrom;
  if (event.usage) {
    step.usage = event.usage;
    tree.usage.input += event.usage.input;
    tree.usage.output += event.usage.output;
    tree.spent.tokens += event.usage.input + event.usage.output;
  }
}

/** Closing a step closes what is still open below it, deepest first. Closed steps have nothing open below them. */
function close(tree: RunTree, step: Step, outcome: Outcome): void {
  if (!isOpen(step)) return;
  closeChildren(tree, step, outcome === 'stopped' ? 'stopped' : 'abandoned');
  if (step.started) tree.working -= 1;
  tree.undecided -= step.undecided;
  step.undecided = 0;
  step.status = outcome;
  step.closedAt = tree.at;
  flatten(step);
  tree.open.delete(step.id);
  touch(step);
}

function closeChildren(tree: RunTree, step: Step, outcome: Outcome): void {
  for (const id of step.children) {
    const child = stepOf(tree, id);
    if (child.status === 'pending') skip(child, tree.at);
    else close(tree, child, outcome);
  }
}

function skip(step: Step, at: number): void {
  step.status = 'skipped';
  step.closedAt = at;
  touch(step);
}

/** Pieces cost several times their text, so a step that can no longer grow keeps one string. */
function flatten(step: Step): void {
  for (const pieces of Object.values(step.text))
    if (pieces.length > 1) pieces.splice(0, pieces.length, pieces.join(''));
}

function retry(tree: RunTree, step: Step, event: EventOf<'step.retried'>): void {
  if (!isOpen(step)) return refuse(tree, event, 'is not open, so it cannot be tried again');
  closeChildren(tree, step, 'abandoned');
  const written = Object.values(step.text).reduce((sum, pieces) => sum + pieces.join('').length, 0);
  tree.spent.tokens += Math.ceil(written / 4);
  step.attempt = event.attempt;
  step.superseded.push(...step.children);
  step.children = [];
  step.text = {};
  step.items = [];
  delete step.requests;
  if (!step.started) begin(tree, step);
  else charge(tree, step);
}

function request(tree: RunTree, event: EventOf<'approval.requested'>): void {
  if (tree.approvals.has(event.approval)) return refuse(tree, event, 'was requested already');
  const { type: _, ...details } = event;
  tree.approvals.set(event.approval, { ...details, requestedAt: tree.at });
  withStep(tree, event, (step) => {
    if (step.id !== 0 && !isOpen(step)) return refuse(tree, event, 'asks about a step that is closed');
    step.undecided += 1;
    tree.undecided += 1;
    if (step.id !== 0) step.status = 'waiting';
  });
}

function decide(tree: RunTree, event: EventOf<'approval.decided'>): void {
  const approval = tree.approvals.get(event.approval);
  if (!approval) return refuse(tree, event, 'decides something that was never asked');
  if (approval.decided) return refuse(tree, event, 'was decided before');
  if (!isFinal(event.decision)) {
    approval.deferred = { by: event.by, ...(event.until === undefined ? {} : { until: event.until }) };
    return touch(stepOf(tree, approval.step));
  }
  approval.decided = { ...event, at: tree.at, seq: tree.seq };
  const step = tree.steps.get(approval.step);
  if (!step || step.undecided === 0) return;
  step.undecided -= 1;
  tree.undecided -= 1;
  if (step.undecided === 0 && step.status === 'waiting') step.status = 'running';
  touch(step);
}

function queue(tree: RunTree, event: EventOf<'message.queued'>): void {
  if (tree.messages.has(event.message)) return refuse(tree, event, 'was queued already');
  const { message: id, text, attachments = [], by } = event;
  tree.messages.set(id, { id, text, attachments, by });
}

function take(tree: RunTree, event: EventOf<'message.taken'>): void {
  const message = tree.messages.get(event.message);
  if (!message || message.takenBy !== undefined) return refuse(tree, event, 'is not waiting to be taken');
  message.takenBy = event.step;
}

function withStep(tree: RunTree, event: RunEvent & { step: StepId }, change: (step: Step) => void): void {
  const step = tree.steps.get(event.step);
  if (!step) return refuse(tree, event, `is about step ${event.step}, which does not exist`);
  change(step);
  touch(step);
}

function post(tree: RunTree, id: StepId, { code, message }: { code: string; message: string }): void {
  const step = tree.steps.get(id) ?? stepOf(tree, 0);
  const notice = { seq: tree.seq, step: step.id, code, message };
  tree.notices.push(notice);
  step.notices.push(notice);
  touch(step);
}

/** What does not fit is shown, never dropped. */
function refuse(tree: RunTree, event: RunEvent, why: string): void {
  post(tree, 'step' in event ? event.step : 0, { code: 'OUT_OF_PLACE', message: `${event.type} ${why}.` });
}

function touch(step: Step): void {
  step.version += 1;
}

function stepOf(tree: RunTree, id: StepId): Step {
  const step = tree.steps.get(id);
  if (!step) throw new RangeError(`step ${id} is in an index of the tree but not in the tree`);
  return step;
}
