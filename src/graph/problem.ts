import type { Problem } from '../run/failure-schema.ts';

export type { Problem };

/**
 * All that can be wrong with a graph: what it is, and what to do about it, with `{names}` for what differs. Whoever tells it in
 * another language does so by the code.
 */
const words = {
  'large-graph': ['{what}; {most} are the most.', 'Take parts out into workflows of their own.'],
  'many-problems': ['There is more that is wrong.', 'Correct these first: the rest is told then.'],
  schema: ['{message}', 'Correct the field, or take it out.'],
  'no-start': ['There is no start.', 'Add a node of type start.'],
  'second-start': ['There is a second start.', 'Keep one of them.'],
  'no-end': ['There is no end.', 'Add a node of type end.'],
  'id-twice': ['«{id}» is used twice.', 'Give one of them another id.'],
  'not-in-body': ['A body has no {type}.', 'Take it out: its last node gives its output.'],
  'empty-body': ['There is nothing in it.', 'Add a node.'],
  circle: ['These lead in a circle: «{ids}».', 'Use a node of type loop for what is to be done again.'],
  'edge-to-nowhere': ['There is no node «{id}» here.', 'Take the edge out, or name another node.'],
  'no-port': ['«{id}» has no port «{port}».', 'Its ports: {ports}.'],
  'after-end': ['«{id}» has no port «{port}».', 'Nothing comes after an end.'],
  unreachable: ['Nothing leads to it.', 'Draw an edge to it, or take it out.'],
  'unknown-name': ['There is no {what} «{name}».', 'Name one of: {known}.'],
  'loop-ending': ['A loop has exactly one of «over», «until» and «times».', 'Say what ends it.'],
  'no-cap': ['The loop has no cap.', 'Set «max»: how many rounds at most.'],
  'nobody-merges': ['Nobody is named who merges.', 'Name an agent, or choose another «how».'],
  'wait-ending': ['A wait has either «for» or «until».', 'Give one of them.'],
  'too-early': ['«nodes.{id}» is used before it can exist.', 'Let «{id}» come before it.'],
  'means-nothing': ['«{name}» means nothing here.', 'It is known inside a loop, a map or a fallback.'],
  expression: ['Column {column}: {message}', 'Correct the expression.'],
  settings: ['{message}.', 'Correct the settings: they are those of {what}.'],
  'redo-not-before': ['«{id}» does not come before it.', 'Name a node that leads to the question.'],
  'redo-elsewhere': [
    '«{id}» leads to «{other}» as well, which would have used what it gave before.',
    'Let all its paths lead to the question, or take it out of «redo».',
  ],
  'no-timezone': ['«{timezone}» is no time zone.', 'Write one as Europe/Berlin, or UTC.'],
  'no-cron': [
    '«{cron}» cannot be read: {message}',
    'Give minute, hour, day, month and weekday, as «0 8 * * 1-5».',
  ],
  'never-due': ['«{cron}» never comes.', 'Name a day that there is.'],
  'worst-case': [
    'It may come to {most} {what}; {allowed} are allowed.',
    'Lower the caps of its loops and maps, or raise the limit.',
  ],
  'too-much': [
    '{asked} is more than the {most} that a workflow may use here.',
    'Lower it, or have whoever runs the server raise «limits» in its configuration.',
  ],
  'another-name': [
    'The graph is called «{called}», the workflow «{name}».',
    'Write «{name}», or save it under the other name.',
  ],
  'starts-itself': ['The workflow starts itself.', 'Use a loop for what is to be done again.'],
} as const satisfies Readonly<Record<string, readonly [problem: string, fix: string]>>;

export type ProblemCode = keyof typeof words;

/** What differs from one such problem to the next. */
export type ProblemValues = NonNullable<Problem['values']>;

/** Something that is wrong with a graph, where. */
export function problemOf(
  code: ProblemCode,
  { node, field }: Pick<Problem, 'node' | 'field'>,
  values: ProblemValues = {},
): Problem {
  const [problem, fix] = words[code];
  return { node, field, code, values, problem: filledIn(problem, values), fix: filledIn(fix, values) };
}

/** A sentence with what differs put in. */
export function filledIn(sentence: string, values: ProblemValues): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
