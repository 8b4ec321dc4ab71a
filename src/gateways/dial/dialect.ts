import type { Json, Usage } from '../../run/values.ts';
import {
  DialFrame,
  frameOfBlock,
  readCustomContent,
  readStatistics,
  type PeerNews,
  type Statistics,
} from '../../wire/dial.ts';
import { unreadable } from '../../wire/salvage.ts';
import type { Complaints } from '../http/event-channel.ts';
import type { Dialect } from '../dialect.ts';
import { DialStages } from './stages.ts';
import type { AgentEvent, AgentQuestion } from '../gateway.ts';

/** Characters of one attachment, or of one piece of a stage. */
const largest = 4 * 1024 * 1024;

interface Reading {
  readonly largestPart?: number | undefined;
  /** Called with the run where it is a Vitrine that answers. */
  readonly begun?: (run: string) => void;
}

/** What DIAL adds to chat completions: stages, attachments, state, and statistics of each model. */
export function dialDialect(
  who: string,
  complaints: Complaints,
  { largestPart = largest, begun = () => undefined }: Reading = {},
): Dialect {
  const peer = peerOf(begun);
  const stages = new DialStages(who, complaints, largestPart);
  let statistics: Statistics | undefined;
  let hasAsked = false;

  const takeContent = (given: unknown, about: PeerNews['stage'], events: AgentEvent[]): void => {
    const { value: content, faults } = readCustomContent(given);
    if (faults.length > 0) complaints.sent(unreadable('custom content', faults), events);
    stages.takeAll(content?.stages ?? [], events, about);
    for (const item of stages.items(content?.attachments ?? [], events))
      events.push({ type: 'item.attached', item });
    const { state = null, form_schema: form = null } = content ?? {};
    // It came out of JSON, so it is JSON; looking at all of it again would cost as much as reading it.
    if (state !== null) events.push({ type: 'state.reported', state: state as Json });
    if (form !== null && !hasAsked) {
      hasAsked = true;
      complaints.say('asked for a form to be filled in, which is not possible here.', events, unsupported);
    }
  };

  return {
    head: ({ 'x-run-id': run }) => void (typeof run === 'string' && begun(run)),
    take(frame, events) {
      const { choices, statistics: figures, vitrine } = DialFrame.safeParse(frame).data ?? {};
      const content = choices?.[0]?.delta?.custom_content ?? undefined;
      if (vitrine) peer.take(vitrine);
      if (content !== undefined) takeContent(content, vitrine?.stage, events);
      if (figures !== undefined && figures !== null) {
        const { value, faults } = readStatistics(figures);
        if (faults.length > 0) complaints.sent(unreadable('statistics', faults), events);
        statistics = value;
      }
      return content !== undefined || (figures ?? undefined) !== undefined;
    },
    framesOf(body) {
      const frame = frameOfBlock(body);
      return frame === undefined ? undefined : [frame];
    },
    questions: peer.questions,
    usage: (reported) => withModels(reported, statistics),
    finish(events) {
      stages.finish(events);
      const left = statistics?.discarded_messages?.length ?? 0;
      if (left > 0)
        complaints.say(`left out ${left} of the messages it was sent.`, events, 'HISTORY_SHORTENED');
    },
  };
}

interface Peer {
  readonly take: (news: PeerNews) => void;
  readonly questions: () => readonly AgentQuestion[];
}

/** What another Vitrine says of its run. */
function peerOf(begun: (run: string) => void): Peer {
  let run = '';
  let questions: readonly AgentQuestion[] = [];
  return {
    take(news) {
      run = news.run ?? run;
      if (news.run !== undefined) begun(run);
      if (news.asks) questions = news.asks.map((asked) => ({ ...asked, token: { run } }));
    },
    questions: () => questions,
  };
}

const unsupported = 'UPSTREAM_UNSUPPORTED';

/** The sum is upstream's own, or else what its models add up to. */
function withModels(reported: Usage | undefined, statistics: Statistics | undefined): Usage | undefined {
  const models = (statistics?.usage_per_model ?? []).map(({ model, prompt_tokens, completion_tokens }) => ({
    model,
    input: prompt_tokens ?? 0,
    output: completion_tokens ?? 0,
  }));
  if (models.length === 0) return reported;
  const sum = {
    input: models.reduce((total, { input }) => total + input, 0),
    output: models.reduce((total, { output }) => total + output, 0),
  };
  return { ...(reported ?? sum), models };
}
