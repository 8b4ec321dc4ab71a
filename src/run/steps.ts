import type { EventOf, Outcome, RunEvent, StepId } from './events.ts';
import { refuse } from './notices.ts';
import { costsTogether } from './cost.ts';
import {
  tokensIn,
  isOpen,
  newStep,
  setStarted,
  setStatus,
  stepOf,
  textOf,
  touch,
  type RunTree,
  type Step,
  isFinal,
  present,
} from './tree.ts';

export function plan(tree: RunTree, event: EventOf<'step.planned'>): void {
  if (tree.steps.has(event.step)) return refuse(tree, event, 'exists already');
  const step = place(tree, event);
  if (isFinished(stepOf(tree, step.parent))) {
    refuse(tree, event, 'was planned in a step that is closed');
    shut(tree, step, 'skipped');
  }
}

export function open(tree: RunTree, event: EventOf<'step.opened'>): void {
  const known = tree.steps.get(event.step);
  if (known && known.status !== 'pending') return refuse(tree, event, 'was opened already');
  if (known && known.parent !== event.parent)
    refuse(tree, event, 'was planned in another step, and stays there');
  const step = known ?? place(tree, event);
  step.kind = event.kind;
  step.title = event.title;
  step.attempt = event.attempt ?? 1;
  step.openedAt = tree.at;
  step.openedSeq = tree.seq;
  describe(step, event);
  if (event.within !== undefined)
    step.clock = { within: event.within, worked: 0, since: tree.spent.milliseconds, working: 0, waiting: 0 };
  if (step.untrusted) tree.untrusted.push(step.id);
  const parent = stepOf(tree, step.parent);
  if (parent.phase) step.phase = parent.phase;
  if (!isOpen(parent)) {
    refuse(tree, event, 'was opened in a step that is not open');
    closeBelow(tree, step, 'abandoned');
    return shut(tree, step, 'abandoned');
  }
  tree.open.add(step.id);
  if (step.clock) tree.timed += 1;
  setStatus(tree, step, 'running');
  charge(tree, step, 1);
  if (event.started) setStarted(tree, step);
}

export function begin(tree: RunTree, event: EventOf<'step.started'>): void {
  const step = tree.steps.get(event.step);
  if (!step || step.id === 0 || !isOpen(step) || step.started) {
    return refuse(tree, event, 'is about a step that is not waiting to start');
  }
  if (event.call) step.call = event.call;
  setStarted(tree, step);
  touch(step);
}

export function settle(tree: RunTree, event: EventOf<'step.closed'>): void {
  const step = tree.steps.get(event.step);
  if (!step || step.id === 0) return refuse(tree, event, 'is about a step that cannot be closed');
  if (isFinished(step)) return refuse(tree, event, 'is about a step that was closed already');
  closeBelow(tree, step, event.outcome === 'stopped' ? 'stopped' : 'abandoned');
  shut(tree, step, event.outcome);
  if (event.result !== undefined) step.result = event.result;
  if (event.failure) step.failure = event.failure;
  if (event.reusedFrom !== undefined) step.reusedFrom = event.reusedFrom;
  if (!event.usage) return;
  step.usage = event.usage;
  tree.usage.input += event.usage.input;
  tree.usage.output += event.usage.output;
  tree.spent.tokens += event.usage.input + event.usage.output;
  pay(tree, event.usage.cost);
}

function pay(tree: RunTree, cost: number | undefined): void {
  if (cost !== undefined) tree.usage.cost = costsTogether(tree.usage.cost, cost);
}

export function retry(tree: RunTree, event: EventOf<'step.retried'>): void {
  const step = tree.steps.get(event.step);
  if (!step || step.id === 0 || !isOpen(step)) {
    return refuse(tree, event, 'is about a step that is not open, so it cannot be tried again');
  }
  closeBelow(tree, step, 'abandoned');
  lapse(tree, step);
  setStatus(tree, step, 'running');
  if (!event.cutOff) tree.spent.tokens += event.tokens ?? writtenTokens(step);
  pay(tree, event.cost);
  step.attempt = event.attempt;
  if (event.call) step.call = event.call;
  if (event.model) step.model = event.model;
  for (const id of step.children) step.superseded.push(id);
  step.children = [];
  step.text = {};
  step.items = [];
  delete step.requests;
  delete step.state;
  delete step.strategy;
  if (!step.started) setStarted(tree, step);
  else if (!event.cutOff) charge(tree, step, 1);
  touch(step);
}

/** Close whatever is not finished below a step, deepest first. A list, not recursion: trees may be deeper than the stack. */
export function closeBelow(tree: RunTree, step: Step, outcome: Outcome): void {
  const unfinished = [step];
  for (const { children } of unfinished) {
    for (const id of children) {
      const child = stepOf(tree, id);
      if (!isFinished(child)) unfinished.push(child);
    }
  }
  for (let i = unfinished.length - 1; i > 0; i -= 1) {
    const child = unfinished[i];
    if (child) shut(tree, child, child.status === 'pending' ? 'skipped' : outcome);
  }
}

function shut(tree: RunTree, step: Step, outcome: Outcome): void {
  const wasOpen = tree.open.delete(step.id);
  if (wasOpen && !step.started) charge(tree, step, -1);
  lapse(tree, step);
  setStatus(tree, step, outcome);
  if (wasOpen && step.clock) tree.timed -= 1;
  step.closedAt = tree.at;
  step.closedSeq = tree.seq;
  for (const pieces of Object.values(step.text)) flatten(pieces);
  for (const { pieces } of step.requests?.values() ?? []) flatten(pieces);
  touch(step);
}

/** Pieces cost several times their text, so a step that can no longer grow keeps one string. */
function flatten(pieces: string[]): void {
  if (pieces.length > 1) pieces.splice(0, pieces.length, pieces.join(''));
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

function describe(step: Step, event: EventOf<'step.opened'>): void {
  if (event.effect) step.effect = event.effect;
  if (event.agent) step.agent = event.agent;
  if (event.model) step.model = event.model;
  if (event.icon) step.icon = event.icon;
  if (event.query) step.query = event.query;
  if (event.attachments) step.attachments = event.attachments;
  if (event.reasoning) step.reasoning = event.reasoning;
  if (event.origin) step.origin = event.origin;
  if (event.untrusted) step.untrusted = event.untrusted;
  if (event.call) step.call = event.call;
  if (event.until !== undefined) step.until = event.until;
  touch(step);
}

/**
 * Every attempt is paid for, also one that fails. A unit is reserved when its step opens, so that two branches cannot
 * both take the last one, and given back if the step closes without having begun.
 */
function charge(tree: RunTree, step: Step, units: 1 | -1): void {
  if (step.kind === 'turn') tree.spent.turns += units;
  if (step.kind === 'call') tree.spent.calls += units;
}

/** What an abandoned attempt of a model wrote: it never said what it used. */
function writtenTokens(step: Step): number {
  if (step.kind !== 'turn') return 0;
  let written = textOf(step).length + textOf(step, 'reasoning').length + textOf(step, 'arguments').length;
  for (const { pieces } of step.requests?.values() ?? []) for (const piece of pieces) written += piece.length;
  return tokensIn(written);
}

function isFinished(step: Step): boolean {
  return step.status !== 'pending' && !isOpen(step);
}

export function enterPhase(tree: RunTree, event: EventOf<'phase.entered'>): void {
  const step = openStep(tree, event);
  if (step) step.phase = { phase: event.phase, batch: event.batch, cycle: event.cycle };
}

export function appendTitle(tree: RunTree, event: EventOf<'title.appended'>): void {
  const step = openStep(tree, event);
  if (step) step.title += event.text;
}

export function attach(tree: RunTree, event: EventOf<'item.attached'>): void {
  openStep(tree, event)?.items.push(event.item);
}

/** An attempt that is sent something else has its own. */
export function keepPrompt(tree: RunTree, event: EventOf<'prompt.recorded'>): void {
  const step = openStep(tree, event);
  if (!step) return;
  const { continues, blob } = event;
  step.prompt = { blob, ...present({ continues }) };
}

export function appendText(tree: RunTree, event: EventOf<'text.appended'>): void {
  const step = openStep(tree, event);
  if (!step) return;
  const { channel, call, text } = event;
  if (channel === 'arguments' && call !== undefined) return appendRequest(step, event, call);
  const pieces = step.text[channel];
  if (pieces) pieces.push(text);
  else step.text[channel] = [text];
}

function appendRequest(step: Step, { text, tool }: EventOf<'text.appended'>, id: string): void {
  step.requests ??= new Map();
  const request = step.requests.get(id);
  if (!request) return void step.requests.set(id, { id, tool: tool ?? '', pieces: [text] });
  request.pieces.push(text);
  if (tool) request.tool = tool;
}

/** The step an event adds to. What comes before its opening or after its closing has no place, and is shown as such. */
function openStep(tree: RunTree, event: RunEvent & { step: StepId }): Step | undefined {
  const step = tree.steps.get(event.step);
  if (step && isOpen(step)) {
    touch(step);
    return step;
  }
  refuse(tree, event, `is about step ${event.step}, which ${step ? 'is not open' : 'does not exist'}`);
  return undefined;
}

type ApprovalEvent = EventOf<
  'approval.requested' | 'approval.decided' | 'approval.lapsed' | 'approval.returned'
>;

export function foldApproval(tree: RunTree, event: ApprovalEvent): void {
  switch (event.type) {
    case 'approval.requested':
      return request(tree, event);
    case 'approval.decided':
      return decide(tree, event);
    case 'approval.lapsed':
      return lapseOne(tree, event);
    case 'approval.returned':
      return giveBack(tree, event);
  }
}

/** A question about a step: until it is decided, the step waits. The run itself goes on with its other steps. */
function request(tree: RunTree, event: EventOf<'approval.requested'>): void {
  if (tree.approvals.has(event.approval)) return refuse(tree, event, 'was requested already');
  const step = tree.steps.get(event.step);
  if (!step || !isOpen(step)) return refuse(tree, event, 'asks about a step that is not open');
  const { type: _, ...details } = event;
  tree.approvals.set(event.approval, { ...details, requestedAt: tree.at });
  step.undecided ??= new Set();
  step.undecided.add(event.approval);
  tree.undecided += 1;
  if (tree.stopping) lapse(tree, step);
  else if (step.id !== 0) setStatus(tree, step, 'waiting');
  touch(step);
}

function decide(tree: RunTree, event: EventOf<'approval.decided'>): void {
  const approval = tree.approvals.get(event.approval);
  if (!approval) return refuse(tree, event, 'decides something that was never asked');
  if (approval.decided) return refuse(tree, event, 'was decided before');
  if (approval.lapsedAt !== undefined) return refuse(tree, event, 'decides what nobody waits for any more');
  const step = stepOf(tree, approval.step);
  touch(step);
  if (!isFinal(event.decision)) {
    approval.deferred = { by: event.by, until: event.until };
    return;
  }
  const { type: _, ...details } = event;
  approval.decided = { ...details, at: tree.at, seq: tree.seq };
  step.undecided?.delete(event.approval);
  tree.undecided -= 1;
  if (step.undecided?.size === 0 && step.status === 'waiting') setStatus(tree, step, 'running');
}

/** It was put off until now. */
function giveBack(tree: RunTree, event: EventOf<'approval.returned'>): void {
  const approval = tree.approvals.get(event.approval);
  if (!approval?.deferred || approval.decided || approval.lapsedAt !== undefined)
    return refuse(tree, event, 'is about nothing that was put off');
  delete approval.deferred;
  touch(stepOf(tree, approval.step));
}

/** A question that does not hold any more, decided or not: what it was about has changed. */
function lapseOne(tree: RunTree, event: EventOf<'approval.lapsed'>): void {
  const approval = tree.approvals.get(event.approval);
  if (!approval) return refuse(tree, event, 'is about something that was never asked');
  if (approval.lapsedAt !== undefined) return refuse(tree, event, 'had lapsed already');
  const step = stepOf(tree, approval.step);
  approval.lapsedAt = tree.at;
  approval.lapsedBecause = event.reason;
  touch(step);
  if (!step.undecided?.delete(event.approval)) return;
  tree.undecided -= 1;
  if (step.undecided.size === 0 && step.status === 'waiting') setStatus(tree, step, 'running');
}

/** Nobody waits for the answers any more: the step has ended, or is tried again and will ask anew. */
export function lapse(tree: RunTree, step: Step): void {
  if (!step.undecided) return;
  touch(step);
  for (const id of step.undecided) {
    const approval = tree.approvals.get(id);
    if (approval) approval.lapsedAt = tree.at;
    tree.undecided -= 1;
  }
  delete step.undecided;
}
