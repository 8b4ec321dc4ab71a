// A strict reader of the console's frames: whether they are in order, and tell all of a run once. Cards, actions and the
// answer are read against the run; lines of thinking and changes against the second generation, which has them in other frames.
import { newStory, tellStory, type OpenStep } from '../src/projections/story.ts';
import { textOf } from '../src/projections/text-of.ts';
import { isDelegated } from '../src/run/facts.ts';
import type { Entry, EventOf } from '../src/run/events.ts';
import type { ConsoleFrame, DottedFrame } from '../src/wire/console.ts';
import { firstDifference } from './first-difference.ts';

/** A frame with the cursor it carries, if it is the last of its entry. */
export type Sent = ConsoleFrame & { readonly id?: number | undefined };

/** Both generations of one run. */
export interface Generations {
  readonly first: readonly Sent[];
  readonly second: readonly DottedFrame[];
}

/** What is out of order, or not what happened; nothing if it is right. */
export function disorderIn({ first, second }: Generations, entries: readonly Entry[]): string[] {
  const [one, two] = [new FirstReader(), new SecondReader()];
  for (const frame of first) one.take(frame);
  for (const frame of second) two.take(frame);
  const { cards, actions, stopped, answer } = happenedIn(entries);
  const isSaid = two.last && (two.last.text === answer || (answer === '' && stopped.has(two.last.step)));
  const answered = two.answer ?? (isSaid ? two.last?.text : undefined);
  const cursors = first.flatMap(({ id }) => id ?? []);
  return [
    ...(cursors.every((cursor, i) => i === 0 || cursor > (cursors[i - 1] ?? 0))
      ? []
      : ['a cursor goes back']),
    ...one.order.faults,
    ...two.order.faults,
    ...(one.order.isOver && two.order.isOver ? [] : ['it has no end']),
    ...firstDifference(one.told, two.told),
    ...firstDifference(one.told.filter((fact) => fact.startsWith('card ')).map(shortly), cards),
    ...firstDifference(one.actions, actions),
    ...(one.answer === answered ? [] : [`the answer is «${one.answer}» and «${answered}»`]),
  ];
}

function shortly(fact: string): string {
  return fact.split(' ').slice(0, 3).join(' ');
}

/** What comes after another frame, and after nothing else. */
class Order {
  readonly faults: string[] = [];
  isOver = false;
  #next: string | undefined;

  /** The frame is the one that had to come, if one had to; what must come behind it is said. */
  follow(fact: string, next?: string): void {
    if (this.isOver) this.faults.push(`${fact} after the end`);
    if (this.#next !== undefined && this.#next !== fact) this.faults.push(`${fact} and not ${this.#next}`);
    this.#next = next;
  }

  /** The frame comes behind another one, and nowhere else. */
  second(fact: string): void {
    if (this.#next !== fact) this.faults.push(`${fact} alone`);
    this.follow(fact);
  }
}

class FirstReader {
  readonly order = new Order();
  readonly told: string[] = [];
  readonly actions: string[] = [];
  answer: string | undefined;

  take({ event, data }: ConsoleFrame): void {
    const name = `${event} ${JSON.stringify(data)}`;
    switch (event) {
      case 'user_message':
        return this.#tell(name, `heard ${data.text}`);
      case 'run_start':
        return this.#tell(name, `start ${data.alert} ${data.timestamp}`);
      case 'thread_created':
        return this.#tell(name, `thread ${data.thread_id}`);
      case 'step_thinking':
        return this.#tell(name, `thinks ${data.agent}: ${data.status}`);
      case 'step_start':
        return this.order.follow(name, `step_started ${data.step} ${data.agent}`);
      case 'step_started':
        this.order.second(`step_started ${data.step} ${data.agent}`);
        return void this.told.push(`card ${data.step} opens ${data.agent} ${data.query} ${data.timestamp}`);
      case 'step_response':
        return this.order.follow(name, `step_complete ${JSON.stringify(data)}`);
      case 'step_complete':
        this.order.second(name);
        return void this.told.push(`card ${data.step} closes ${data.response} ${data.timestamp}`);
      case 'action_executed':
        this.order.follow(name);
        return void this.actions.push(`${data.step} ${data.action_name} ${JSON.stringify(data.action_data)}`);
      case 'status_change':
        return this.#tell(name, `change ${JSON.stringify(data)}`);
      case 'message':
        this.answer = data.text;
        return this.order.follow(name, 'the end');
      case 'run_complete':
        return this.#tell('the end', `end ${data.steps} ${data.time}`);
      case 'error':
        return this.#tell('the end', `error ${data.message}`);
      case 'done':
        this.#tell(name, `done ${data.status}`);
        this.order.isOver = true;
        return;
      case 'heartbeat':
        this.order.faults.push('no entry gives a heartbeat');
    }
  }

  #tell(name: string, fact: string): void {
    this.order.follow(name);
    this.told.push(fact);
  }
}

class SecondReader {
  readonly order = new Order();
  readonly told: string[] = [];
  /** Messages that are being said. */
  readonly #open = new Map<string, string>();
  readonly #said = new Set<string>();
  answer: string | undefined;
  /** The last message before the answer. */
  last: { readonly step: number; readonly text: string } | undefined;

  take({ event, data }: DottedFrame): void {
    const name = `${event} ${JSON.stringify(data)}`;
    this.order.follow(name);
    switch (event) {
      case 'user_message':
        return void this.told.push(`heard ${data.text}`);
      case 'run.start':
        return void this.told.push(`start ${data.alert} ${data.timestamp}`);
      case 'session.created':
        return void this.told.push(`thread ${data.thread_id}`);
      case 'status':
        if (data.status === undefined) return void this.told.push(`thinks ${data.message}`);
        return void this.told.push(`change ${JSON.stringify(data)}`);
      case 'tool_call.start':
        return void this.told.push(`card ${data.step} opens ${data.agent} ${data.query} ${data.timestamp}`);
      case 'tool_call.complete':
        return void this.told.push(`card ${data.step} closes ${data.response} ${data.timestamp}`);
      case 'message.start':
        if (this.#said.has(data.id)) this.order.faults.push(`${data.id} is said again`);
        return void this.#open.set(data.id, '');
      case 'message.delta': {
        const before = this.#open.get(data.id);
        if (before === undefined) this.order.faults.push(`${data.id} was not begun`);
        return void this.#open.set(data.id, before + data.text);
      }
      case 'message.complete': {
        const isAnswer = data.id.endsWith('-answer');
        const text = this.#open.get(data.id);
        if (!this.#open.delete(data.id) || (!isAnswer && text !== data.text))
          this.order.faults.push(`${name} here`);
        if (isAnswer) this.answer = data.text;
        else this.last = { step: Number(/-s(\d+)/.exec(data.id)?.[1]), text: data.text };
        return void this.#said.add(data.id);
      }
      case 'run.complete':
        return void this.told.push(`end ${data.steps} ${data.time}`);
      case 'error':
        return void this.told.push(`error ${data.message}`);
      case 'done':
        if (this.#open.size > 0) this.order.faults.push('something is still said');
        this.told.push(`done ${data.status}`);
        this.order.isOver = true;
    }
  }
}

interface Own {
  /** The number of the card it is, or is in; 0 for the run. */
  readonly card: number;
  readonly isCard: boolean;
  readonly agent: string | undefined;
  readonly around: readonly number[];
}

interface Happened {
  readonly cards: readonly string[];
  readonly actions: readonly string[];
  /** Steps that a stop ended. */
  readonly stopped: ReadonlySet<number>;
  readonly answer: string;
}

/** What a run is by its story, as far as both generations do not say it. */
function happenedIn(entries: readonly Entry[]): Happened {
  let count = 0;
  let answer = '';
  const [cards, actions, stopped]: [string[], string[], Set<number>] = [[], [], new Set()];
  const acted: { readonly action: string; readonly card: number; readonly around: readonly number[] }[] = [];
  const own = (opening: EventOf<'step.opened'>, above: OpenStep<Own> | undefined): Own => {
    if (!above) return { card: 0, isCard: false, agent: undefined, around: [] };
    const isCard = isDelegated(opening, above.own.isCard ? above.own : undefined);
    if (!isCard) return { ...above.own, isCard };
    count += 1;
    const agent = opening.agent ?? opening.call?.tool;
    return { card: count, isCard, agent, around: [above.own.card, ...above.own.around] };
  };
  const story = newStory({ own });
  for (const entry of entries)
    tellStory(story, entry, {
      own,
      hear(event, step) {
        const { card, isCard, around } = step.own;
        if (event.type === 'step.opened' && isCard) cards.push(`card ${card} opens`);
        if (event.type === 'step.closed' && isCard) cards.push(`card ${card} closes`);
        if (event.type === 'step.closed' && event.outcome === 'stopped') stopped.add(step.id);
        if (event.type === 'run.ended') {
          if (event.outcome === 'stopped') stopped.add(0);
          answer = textOf(event.answer, '…');
        }
        if (event.type !== 'item.attached' || event.item.kind !== 'action') return;
        const action = `${event.item.name} ${JSON.stringify(event.item.data)}`;
        const isSame = acted.some(
          (other) =>
            other.action === action &&
            (other.card === card || other.around.includes(card) || around.includes(other.card)),
        );
        if (isSame) return;
        acted.push({ action, card, around });
        actions.push(`${card} ${action}`);
      },
    });
  return { cards, actions, stopped, answer };
}
