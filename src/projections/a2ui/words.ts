import { askedAbout } from '../../run/asking.ts';
import type { EventOf } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import { questionId } from '../../run/question-id.ts';
import { attachmentText } from '../../run/sent-along.ts';
import type { BlobRef, Item as Attached, Json } from '../../run/values.ts';
import { type Approval, present } from '../../run/tree.ts';
import { visible } from '../../run/visible.ts';
import { cutWith } from '../preferences/cut.ts';
import { textOf } from '../text-of.ts';
import { isoTime } from '../time-text.ts';
import type { Item } from './surface.ts';
/** How much of a text is shown, in characters. */
export const lengths = { title: 200, detail: 300, line: 500 } as const;

/** What is asked, and who has put it off for now. */
export type Requested = Omit<EventOf<'approval.requested'>, 'type'> & Pick<Approval, 'deferred'>;

/** What a run is called: the first line of what it was asked. */
export function surfaceTitle({
  input: { text },
  app,
}: Pick<EventOf<'run.started'>, 'input' | 'app'>): string {
  const [line = ''] = textOf(text).trim().split('\n');
  return cutWith(line, lengths.title, '…') || app;
}

export function stepTitle({ title, kind }: { readonly title: string; readonly kind: string }): string {
  return cutWith(title, lengths.title, '…') || kind;
}

/** What is known of a step, the newest last. */
export interface Known {
  readonly kind: string;
  readonly query?: string | undefined;
  readonly call?: { readonly arguments: BlobRef | Json } | undefined;
  readonly reasoning: string;
  readonly log: string;
  /** Nothing where it speaks for the run: that is the output. */
  readonly text: string;
  readonly result?: BlobRef | Json | undefined;
  readonly failure?: Failure | undefined;
}

/** The one line below a title. */
export function detailOf({ kind, query, call, reasoning, log, text, result, failure }: Known): string {
  // What another app or a workflow is, is for those who look into the run.
  const given = kind === 'definition' ? '' : textOf(result);
  const said =
    failure?.message.trim() ||
    text.trim() ||
    log.trim() ||
    reasoning.trim() ||
    given.trim() ||
    query?.trim() ||
    textOf(call?.arguments).trim();
  return cutWith(said, lengths.detail, '…');
}

/** Why what was planned does not come. */
export function droppedDetail(failure: Failure | undefined): string {
  return cutWith(failure?.message ?? '', lengths.detail, '…');
}

export interface RunState {
  readonly ended?: Pick<EventOf<'run.ended'>, 'outcome' | 'failure'> | undefined;
  readonly stop?: Pick<EventOf<'stop.requested'>, 'by' | 'reason'> | undefined;
  readonly isPaused: boolean;
  readonly takeovers: number;
  /** How many questions wait for a person. */
  readonly undecided: number;
}

/** How a run stands, in a line. */
export function statusLine({ ended, stop, isPaused, takeovers, undecided }: RunState): string {
  const why = stop ? ` by ${stop.by}${stop.reason === undefined ? '' : `: ${stop.reason}`}` : '';
  if (ended?.outcome === 'stopped') return `stopped${why}`;
  if (ended) return ended.failure ? `${ended.outcome}: ${ended.failure.message}` : ended.outcome;
  if (stop) return `stopping, as asked${why}`;
  if (isPaused) return 'paused';
  if (undecided > 0) return `waiting for ${undecided === 1 ? 'a decision' : `${undecided} decisions`}`;
  return takeovers > 0 ? 'running, taken over from a worker that died' : 'running';
}

export function itemLine(item: Attached): string {
  switch (item.kind) {
    case 'attachment':
      return line(attachmentText(item.attachment));
    case 'visualization':
      return line(`${item.shape}: ${JSON.stringify(item.data)}`);
    case 'citation':
      return line([item.title, item.url, item.quote].filter(Boolean).join(' · '));
    case 'action':
      return line(`${item.name}: ${JSON.stringify(item.data)}`);
  }
}

export function noticeLine({ code, message }: { readonly code: string; readonly message: string }): string {
  return line(`${code}: ${message}`);
}

export function messageLine({ by, text }: { readonly by: string; readonly text: string }): string {
  return line(`${by}: ${text}`);
}

export function textItem(key: string, text: string): Item {
  return { key, fields: { text } };
}

/** At most so many questions are shown at once, the oldest; the status says how many there are. */
export const mostQuestions = 20;

const labels = { approve: 'Approve', reject: 'Reject', defer: 'Later' } as const;

/** A question with a button for each answer that needs no more than a click; the button names what was shown. */
export function questionItem(requested: Requested, key: string): Item {
  const { title, allowed, schema } = requested;
  const id = questionId(requested);
  const choices = (['approve', 'reject', 'defer'] as const)
    .filter((decision) => allowed.includes(decision) && (decision !== 'approve' || schema === undefined))
    .map((decision) => ({ key: decision, fields: { id, decision, label: labels[decision] } }));
  return { key, fields: { id, title: visible(title), about: questionText(requested), choices } };
}

/** All that a person must see of it. */
export function questionText(requested: Requested): string {
  const { schema, deferred } = requested;
  const fillIn = schema === undefined ? [] : ['It wants an answer to be filled in: decide it over the API.'];
  return [...askedAbout(requested), ...fillIn, ...(deferred ? [putOff(deferred)] : [])].join('\n');
}

function putOff({ by, until }: NonNullable<Requested['deferred']>): string {
  return `Put off by ${visible(by)}${until === undefined ? '' : ` until ${isoTime(until)}`}.`;
}

/** The same question, put off by somebody, or not any more. */
export function deferredBy(
  requested: Requested,
  event: EventOf<'approval.decided' | 'approval.returned'>,
): Requested {
  const { deferred: _, ...question } = requested;
  if (event.type === 'approval.returned') return question;
  return { ...question, deferred: { by: event.by, ...present({ until: event.until }) } };
}

function line(text: string): string {
  return cutWith(text, lengths.line, '…');
}
