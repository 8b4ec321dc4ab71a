import type { EventOf, StepId } from '../../run/events.ts';
import { unknownNotice } from '../../run/notices.ts';
import { isFinal } from '../../run/tree.ts';
import { gathered } from '../preferences/cut.ts';
import type { Projection } from '../projection.ts';
import { around, parentOf } from '../nested.ts';
import { overStory, type Place } from '../story-projection.ts';
import type { Closing, Dropped, OpenStep } from '../story.ts';
import { saysAnswer } from '../../run/answer-text.ts';
import { answered, beginVoice, endVoice, hasSpoken, speak, takeBack, type Voice } from './output.ts';
import { placedBelow, put, theRun, titleAt, type Change, type Fields, type Placed } from './surface.ts';
import { ask, forget, putOff, settle, tellQuestions } from './questions.ts';
import { setStatus, tellStatus, type Memory, type Shown, type Surface } from './scene.ts';
import {
  detailOf,
  droppedDetail,
  itemLine,
  lengths,
  messageLine,
  noticeLine,
  stepTitle,
  surfaceTitle,
} from './words.ts';

/** A run as a surface that is filled as it goes on. What is sent again is bounded: a title, a detail, the last block of a text. */
export const surfaceProjection: Projection<Place<Memory, Shown>, Change> = overStory<Memory, Shown, Change>({
  memory: () => ({
    planned: new Map(),
    approvals: new Map(),
    asked: 0,
    voices: 1,
    messages: 0,
    status: 'running',
    isPaused: false,
    takeovers: 0,
    stop: undefined,
  }),
  own: (_, above) => shownAt(theRun, above ? undefined : beginVoice({ key: 'v0', index: 0 })),
  tell: {
    'run.started': ({ frames }, event) =>
      void frames.push({ type: 'begin', data: { ...emptySurface, title: surfaceTitle(event) } }),
    'run.ended': end,
    'run.paused': (scene) => pause(scene, true),
    'run.resumed': (scene) => pause(scene, false),
    'stop.requested': stop,
    'worker.took'(scene) {
      scene.memory.takeovers += 1;
      tellStatus(scene);
    },
    'step.planned': plan,
    'step.dropped': drop,
    'step.opened': open,
    'step.started': (scene, _, step) => tellDetail(scene, step),
    'step.retried': retry,
    'step.closed': close,
    'title.appended': (scene, _, step) => tellTitle(scene, step),
    'text.appended': hear,
    'item.attached': (scene, { item }, { own }) => add(scene, own, { list: 'items', text: itemLine(item) }),
    'notice.posted': (scene, event, { own }) => add(scene, own, { list: 'notes', text: noticeLine(event) }),
    unknown: (scene, event, { own }) =>
      add(scene, own, { list: 'notes', text: noticeLine(unknownNotice(event)) }),
    'message.queued'(scene, event) {
      const { memory } = scene;
      const spot = { key: `m${memory.messages}`, index: memory.messages };
      memory.messages += 1;
      put(scene, ['messages', spot], { text: messageLine(event) });
    },
    'approval.requested': ask,
    'approval.decided'(scene, event) {
      if (isFinal(event.decision)) settle(scene, event.approval);
      else putOff(scene, event);
    },
    'approval.returned': putOff,
    'approval.lapsed': (scene, { approval }) => settle(scene, approval),
  },
});

/** A surface of a run that has just begun: the run itself is the first voice. */
const emptySurface = {
  title: '',
  status: 'running',
  messages: [],
  steps: [],
  approvals: [],
  output: [{ key: 'v0', fields: { blocks: [] } }],
  items: [],
  notes: [],
} as const satisfies Fields;

function shownAt(placed: Placed, voice: Voice | undefined): Shown {
  const lists = { children: 0, items: 0, notes: 0, undecided: 0, voices: [] };
  return { ...placed, ...lists, title: '', status: 'running', detail: '', log: '', reasoning: '', voice };
}

function placeBelow(scene: Surface, above: OpenStep<Shown>, id: StepId): Placed {
  const host = scene.story.steps.get(above.own.host) ?? scene.story.run;
  const placed = placedBelow(above.own, host.own, id);
  host.own.children += 1;
  return placed;
}

/** An item of a step, before anything is in its lists. */
function stepFields(title: string, status: string, detail: string): Fields {
  return { title, status, detail, items: [], notes: [], children: [] };
}

function plan(scene: Surface, event: EventOf<'step.planned'>, above: OpenStep<Shown>): void {
  const placed = placeBelow(scene, above, event.step);
  scene.memory.planned.set(event.step, placed);
  put(scene, placed.path, stepFields(titleAt(stepTitle(event), placed), 'pending', ''));
}

function drop(scene: Surface, { step, failure }: Dropped): void {
  const placed = scene.memory.planned.get(step);
  scene.memory.planned.delete(step);
  if (!placed) return;
  put(scene, [...placed.path, 'status'], 'skipped');
  const detail = droppedDetail(failure);
  if (detail !== '') put(scene, [...placed.path, 'detail'], detail);
}

function open(scene: Surface, event: EventOf<'step.opened'>, step: OpenStep<Shown>): void {
  const { memory, story } = scene;
  const above = parentOf(story, step);
  const placed = memory.planned.get(step.id) ?? placeBelow(scene, above, step.id);
  memory.planned.delete(step.id);
  const says = above.own.voice !== undefined;
  const speaks = saysAnswer(event, { says, kind: above.opening.kind });
  step.own = shownAt(placed, speaks ? beginVoice({ key: `v${step.id}`, index: memory.voices }) : undefined);
  const { own } = step;
  own.title = titleAt(stepTitle({ title: step.title, kind: event.kind }), own);
  own.detail = detailNow(step);
  put(scene, own.path, stepFields(own.title, own.status, own.detail));
  if (!own.voice) return;
  memory.voices += 1;
  put(scene, own.voice.path, { blocks: [] });
}

function detailNow(step: OpenStep<Shown>, { result, failure }: Partial<Closing> = {}): string {
  const { opening, call, own } = step;
  const text = own.voice ? '' : step.text;
  const { log, reasoning } = own;
  return detailOf({ kind: opening.kind, query: opening.query, call, log, reasoning, text, result, failure });
}

function tellTitle(scene: Surface, { own, title, opening: { kind } }: OpenStep<Shown>): void {
  const now = titleAt(stepTitle({ title, kind }), own);
  if (now === own.title) return;
  own.title = now;
  put(scene, [...own.path, 'title'], now);
}

function tellDetail(scene: Surface, step: OpenStep<Shown>, closing?: Closing): void {
  const now = detailNow(step, closing);
  if (now === step.own.detail) return;
  step.own.detail = now;
  put(scene, [...step.own.path, 'detail'], now);
}

/** A detail is told anew once it has grown by so many characters. */
const worthTelling = 80;

function hear(scene: Surface, event: EventOf<'text.appended'>, step: OpenStep<Shown>): void {
  const { channel, text } = event;
  const { own } = step;
  if (channel === 'arguments') return;
  if (channel === 'content' && own.voice) return say(scene, step, text);
  if (channel !== 'content') own[channel] = gathered(own[channel], text, lengths.detail);
  if (step === scene.story.run) return;
  const now = detailNow(step);
  const grown = now.length - own.detail.length;
  if (now.startsWith(own.detail) && own.detail !== '' && grown < worthTelling) return;
  tellDetail(scene, step);
}

interface Line {
  readonly list: 'items' | 'notes';
  readonly text: string;
}

/** Whoever is tried again takes back what was said below. */
function say(scene: Surface, step: OpenStep<Shown>, text: string): void {
  const { voice } = step.own;
  if (!voice || text === '') return;
  if (!hasSpoken(voice)) for (const each of around(scene.story, step)) each.own.voices.push(voice.spot);
  speak(scene, voice, text);
}

/** What was said there does not count any more. */
function unsay(scene: Surface, step: OpenStep<Shown>): void {
  const gone = new Set(step.own.voices);
  for (const each of around(scene.story, step))
    each.own.voices = each.own.voices.filter((spot) => !gone.has(spot));
  for (const spot of gone) takeBack(scene, spot);
  if (step.own.voice) step.own.voice = beginVoice(step.own.voice.spot);
}

function add(scene: Surface, own: Shown, { list, text }: Line): void {
  const index = own[list];
  own[list] += 1;
  put(scene, [...own.path, list, { key: `${list[0]}${index}`, index }], { text });
}

/** What a former attempt said, brought and asked is gone; what it opened stays, as abandoned. */
function retry(scene: Surface, _: unknown, step: OpenStep<Shown>): void {
  const { own } = step;
  forget(scene, step);
  own.log = '';
  own.reasoning = '';
  if (own.items > 0) put(scene, [...own.path, 'items'], []);
  own.items = 0;
  unsay(scene, step);
  setStatus(scene, step, 'running');
  tellDetail(scene, step);
}

function close(scene: Surface, event: Closing, step: OpenStep<Shown>): void {
  forget(scene, step);
  const { voice } = step.own;
  if (event.outcome === 'abandoned') unsay(scene, step);
  else if (voice) endVoice(scene, voice);
  tellTitle(scene, step);
  tellDetail(scene, step, event);
  setStatus(scene, step, event.outcome);
}

function pause(scene: Surface, isPaused: boolean): void {
  scene.memory.isPaused = isPaused;
  tellStatus(scene);
}

function stop(scene: Surface, event: EventOf<'stop.requested'>): void {
  const { memory } = scene;
  memory.stop ??= event;
  const asked = memory.approvals.size;
  memory.approvals.clear();
  if (asked > 0) tellQuestions(scene);
  tellStatus(scene);
}

function end(scene: Surface, event: EventOf<'run.ended'>, run: OpenStep<Shown>): void {
  forget(scene, run);
  if (run.own.voice) endVoice(scene, run.own.voice);
  answered(scene, event);
  tellStatus(scene, event);
}
