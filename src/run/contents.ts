import type { EventOf, RunEvent, StepId } from './events.ts';
import { refuse } from './notices.ts';
import { present } from './present.ts';
import { isOpen, touch, type RunTree, type Step } from './tree.ts';

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
