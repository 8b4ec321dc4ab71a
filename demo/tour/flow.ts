import type { Flow, Json, Scope } from '../../src/index.ts';

const service = 'orders-db';
const week = 7;

/**
 * A small story in one process: a maintenance window is planned, reserved and, once a person agrees, announced. Three levels, two branches, tools of all three effects. The model in it is scripted and says so.
 */
export const tourFlow: Flow = {
  name: 'tour',
  version: '2',
  async run(scope, { text }) {
    scope.plan([
      { key: 'understand', title: 'Understand the request' },
      { key: 'facts', title: 'Gather the facts' },
      { key: 'reserve', title: 'Reserve the window' },
      { key: 'announce', title: 'Tell the people who are affected' },
      { key: 'answer', title: 'Answer', kind: 'answer' },
    ]);
    await scope.step({ key: 'understand', title: 'Understand the request' }, (step) =>
      step.turn('tour-planner', { messages: [{ role: 'user', text }], title: 'Planner' }),
    );
    const facts = await scope.step({ key: 'facts', title: 'Gather the facts' }, gather);
    const reserved = await scope.step({ key: 'reserve', title: 'Reserve the window' }, (step) =>
      resultOf(step, 'reserve_window', { service, window: facts.window }),
    );
    const told = await scope.step({ key: 'announce', title: 'Tell the people who are affected' }, (step) =>
      announce(step, facts),
    );
    return scope.step({ key: 'answer', title: 'Answer', kind: 'answer' }, async (step) => {
      const report = JSON.stringify({ request: text, service, ...facts, reserved, told });
      const { text: answer } = await step.turn('tour-writer', {
        messages: [{ role: 'user', text: report }],
        title: 'Writer',
        answers: true,
      });
      return answer;
    });
  },
};

interface Facts {
  readonly window: string;
  readonly people: readonly string[];
}

async function gather(scope: Scope): Promise<Facts> {
  const found = await scope.parallel({
    'How busy is the database?': async (branch) => {
      const load = await resultOf(branch, 'read_load', { service, days: week });
      const { text } = await branch.turn('tour-analyst', {
        messages: [{ role: 'user', text: JSON.stringify(load) }],
        title: 'Analyst',
      });
      return /\b\w{3} \d\d:\d\d–\d\d:\d\d/.exec(text)?.[0] ?? 'Sun 03:00–05:00';
    },
    'Who is affected?': async (branch) => {
      const people = await resultOf(branch, 'list_subscribers', { service });
      await branch.step({ key: 'calendars', title: 'Compare their calendars' }, async (step) => {
        for (const team of ['shop', 'finance']) await resultOf(step, 'read_calendar', { team });
      });
      return Array.isArray(people) ? people.map(String) : [];
    },
  });
  return { window: found['How busy is the database?'], people: found['Who is affected?'] };
}

/** A person may say no, or may not know whether it happened: the story goes on and says so. */
async function announce(scope: Scope, { window, people }: Facts): Promise<string> {
  const message = `${service} will be down for maintenance, ${window}.`;
  const told = await scope.call('tour_notify', { people: [...people], message }, { title: 'notify' });
  if ('failure' in told) return `nobody was told: ${told.failure.message}`;
  const { note, sent } = isRecord(told.result) ? told.result : {};
  if (typeof note === 'string') return `whether people were told is not certain: ${note}`;
  return `${typeof sent === 'number' ? sent : people.length} people were told`;
}

function isRecord(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function resultOf(scope: Scope, tool: string, input: Json): Promise<Json> {
  const done = await scope.call(`tour_${tool}`, input, { title: tool });
  return 'failure' in done ? null : done.result;
}
