import { field, list, type Json } from '../json.ts';
import { descriptionOf } from '../described.ts';
import { planFor, wantsAnybody, type AgentCard, type Task } from '../route-plan.ts';
import { say, type Rule } from '../rule.ts';
import { properties } from '../fill-schema.ts';
import type { Situation } from '../situation.ts';
import { linkIn } from '../topics.ts';
import { joined, overlap, stems } from '../words.ts';

/** Requests to make a message clear by itself: what was asked back, and what «it» is, are put in their places. */
export const enhancing: Rule = {
  name: 'enhancing',
  reply(situation) {
    const { schema } = situation;
    if (schema === undefined || !('enhanced_prompt' in properties(schema))) return undefined;
    const enhanced = clearly(situation);
    const confidence = enhanced === situation.question.trim() ? 0.7 : 0.9;
    const made = { enhanced_prompt: enhanced, detected_intent: intentOf(enhanced), confidence };
    return say(JSON.stringify(made), 'a message is to be clear by itself');
  },
};

/** Requests for a plan of skills, to ask back, or to say what cannot be done. */
export const skillPlanning: Rule = {
  name: 'skill planning',
  reply(situation) {
    const { schema } = situation;
    const step = schema && field(field(field(schema, 'properties'), 'execution_plan'), 'items');
    if (schema === undefined || step === undefined) return undefined;
    const { skill_id: ids = {}, skill_type: types = {} } = properties(step);
    const cards = list(ids, 'enum')
      .filter((name) => typeof name === 'string')
      .map((name) => ({ name, description: descriptionOf(name, situation) }));
    const plan = planIn(situation, cards, list(types, 'enum'));
    return say(JSON.stringify(plan), String(plan.reasoning));
  },
};

/** Requests to answer from passages: their sentences that fit best, each with the number of its passage. */
export const passages: Rule = {
  name: 'passages',
  reply({ system, question, passages: found }) {
    if (found.length === 0 || !/from the passages/.test(system)) return undefined;
    const wanted = stems(question);
    const told = found.slice(0, mostCited).map(({ title, text }, i) => {
      const best = sentencesIn(text).toSorted(
        (one, other) => overlap(wanted, other) - overlap(wanted, one),
      )[0];
      return { line: `${best ?? title} [${i + 1}]`, source: `[${i + 1}] ${title}` };
    });
    const lines = told.map(({ line }) => line).join('\n\n');
    return say(
      `${lines}\n\nSources:\n${told.map(({ source }) => `- ${source}`).join('\n')}`,
      'told from passages',
    );
  },
};

const mostCited = 3;

function sentencesIn(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.replace(/^[\s#*\d.-]+/, '').trim())
    .filter((sentence) => sentence.length > 20 && /[.!?]$/.test(sentence));
}

function planIn(situation: Situation, cards: readonly AgentCard[], types: readonly Json[]) {
  const { question } = situation;
  const nothing = { execution_strategy: 'single', execution_plan: [], final_output_from: null };
  const silent = { needs_clarification: false, clarification_question: null, fallback_message: null };
  if (isVague(situation))
    return {
      ...nothing,
      ...silent,
      reasoning: 'the message does not say which link it is about',
      needs_clarification: true,
      clarification_question: 'Which link do you mean? For example LINK-SYD-MEL-FIBRE-01.',
    };
  if (
    /\b(?:runbooks?|procedures?|what (?:should|must|do) we do)\b/i.test(question) &&
    situation.passages.length > 0
  )
    return { ...nothing, ...silent, reasoning: 'the passages answer it' };
  if (!wantsAnybody(situation, cards))
    return {
      ...nothing,
      ...silent,
      reasoning: 'no skill promises anything for this message',
      fallback_message: 'None of my skills is about that.',
    };
  const { strategy, why, tasks } = planFor(situation, cards);
  return {
    ...silent,
    reasoning: `${joined(tasks.map(({ agent }) => agent))}: ${why}`,
    execution_strategy: strategy,
    execution_plan: tasks.map((task, i) => stepOf(task, i, types)),
    final_output_from: null,
  };
}

function stepOf({ agent, after }: Task, i: number, types: readonly Json[]): Json {
  return {
    step: i + 1,
    skill_id: agent,
    skill_type: types[0] ?? 'agent',
    skill_name: agent,
    depends_on: after.map((place) => place + 1),
    parallel_group: null,
    input_source: 'user_input',
    output_key: null,
  };
}

/** Whether it asks about something that is down and says neither what nor refers to anything earlier. */
function isVague({ question, earlier }: Situation): boolean {
  return (
    /\b(?:it|that|this)\b.*\b(?:down|up|back|broken|failed|slow|failing)\b/i.test(question) &&
    linkIn(question) === undefined &&
    earlier.every((exchange) => linkIn(exchange.question) === undefined)
  );
}

/** A message with what it refers to: the link that was asked about, or that was named last. */
function clearly({ question, earlier }: Situation): string {
  const [, first, answer] = /^([\s\S]*)\n\nAsked back: [\s\S]*\nAnswered: ([\s\S]*)$/.exec(question) ?? [];
  const said = (first ?? question).trim();
  const named = linkIn(answer ?? '') ?? earlier.map((one) => linkIn(one.question)).findLast(Boolean);
  if (linkIn(said) !== undefined) return said;
  const isAbout = /\b(?:it|that|this)\b/i.test(said) && named !== undefined;
  if (isAbout) return said.replace(/\b(?:it|that|this)\b/i, named);
  return answer === undefined ? said : `${said} ${answer.trim()}`;
}

function intentOf(message: string): string {
  const [, verb = 'tell'] = /^\s*(\p{L}+)/u.exec(message) ?? [];
  return /\?\s*$/.test(message) ? 'to know something' : `to ${verb.toLowerCase()} something`;
}
