import { describe, expect, test } from 'vitest';
import { routerMessages, synthesisMessages } from '../../src/flows/coordinate/words.ts';
import { planSchema, type RoutePlan } from '../../src/flows/plan.ts';
import { readPlan } from '../../src/flows/read-plan.ts';
import { chatRequest } from '../../src/gateways/chat/openai-chat.ts';
import type { Message, ToolOffer } from '../../src/gateways/gateway.ts';
import type { Json } from '../../src/run/values.ts';
import { decide } from './rules.ts';
import { situationOf } from './situation.ts';

interface Turn {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolOffer[];
  readonly answerSchema?: Json;
}

const decideOn = (turn: Turn): ReturnType<typeof decide> =>
  decide(situationOf(chatRequest('m', { ...turn, idempotencyKey: 'k', conversation: 'c' })));
const user = (text: string): Message => ({ role: 'user', text });
const toolNamed = (name: string): ToolOffer => ({ name, description: name, schema: { type: 'object' } });

const agents = [
  {
    name: 'general-purpose-agent',
    description: 'General questions: calculates with code, searches documents, reads files, draws charts.',
  },
  { name: 'user-service', description: 'Lists, finds, creates, updates and deletes users.' },
  {
    name: 'GraphExplorerAgent',
    description:
      'Knows the topology as a graph: sites, routers, links, MPLS paths, and which services depend on them.',
  },
  {
    name: 'TelemetryAgent',
    description: 'Telemetry of links: utilisation, latency, loss and optical power, as tables.',
  },
  { name: 'RunbookKBAgent', description: 'Runbooks: procedures for failures, with citations.' },
  { name: 'HistoricalTicketAgent', description: 'Past incident tickets, with citations.' },
  { name: 'FieldDispatchAgent', description: 'Dispatches a field engineer.' },
];

interface Before {
  readonly run: string;
  readonly text: string;
  readonly answer: string;
}

function route(text: string, history: readonly Before[] = []): RoutePlan {
  const names = agents.map(({ name }) => name);
  const { text: answer } = decideOn({
    messages: routerMessages({ text }, agents, history),
    answerSchema: planSchema(names),
  });
  const read = readPlan(answer, agents);
  if (typeof read === 'string') throw new Error(read);
  expect(read.repairs).toEqual([]);
  return read.plan;
}

const shape = ({ strategy, tasks }: RoutePlan): unknown[] => [
  strategy,
  ...tasks.map(({ agent, dependsOn }) => [agent, ...dependsOn]),
];

describe('routing', () => {
  test.for([
    ['Calculate fibonacci(10)', 'single', ['general-purpose-agent']],
    ['Draw a chart of the first 12 fibonacci numbers', 'single', ['general-purpose-agent']],
    ['What is 17 * 23?', 'single', ['general-purpose-agent']],
    ['List users named John', 'single', ['user-service']],
    ['What paths depend on LINK-SYD-MEL-FIBRE-01?', 'parallel', ['GraphExplorerAgent'], ['TelemetryAgent']],
    ['Summarise the runbook for fibre cuts', 'single', ['RunbookKBAgent']],
    ['Which links have the highest utilisation?', 'single', ['TelemetryAgent']],
    ['Which links are down?', 'single', ['GraphExplorerAgent']],
    [
      'Which services are at risk and what does the runbook say?',
      'hybrid',
      ['GraphExplorerAgent'],
      ['TelemetryAgent'],
      ['RunbookKBAgent', '1 GraphExplorerAgent', '2 TelemetryAgent'],
    ],
    ['Has this happened before? Show the tickets', 'single', ['HistoricalTicketAgent']],
    ['Has LINK-SYD-MEL-FIBRE-01 failed before?', 'single', ['HistoricalTicketAgent']],
    ['What is the latency of LINK-SYD-MEL-FIBRE-01?', 'single', ['TelemetryAgent']],
    ['Tell me about LINK-SYD-MEL-FIBRE-01', 'parallel', ['GraphExplorerAgent'], ['TelemetryAgent']],
    ['Dispatch a field engineer to LINK-SYD-MEL-FIBRE-01', 'single', ['FieldDispatchAgent']],
    ['Dispatch a field engineer to Sydney', 'single', ['FieldDispatchAgent']],
    [
      'List users named Ann, then calculate fibonacci(7)',
      'sequential',
      ['user-service'],
      ['general-purpose-agent', '1 user-service'],
    ],
    ['What is the weather in Paris?', 'single', ['general-purpose-agent']],
  ] as const)('%s', ([text, ...expected]) => {
    expect(shape(route(text))).toEqual(expected);
  });

  test('a follow-up goes to whoever had the message before it, over other follow-ups', () => {
    const listed = { run: 'r1', text: 'List users named John', answer: '1. John Smith' };
    const deleted = { run: 'r2', text: 'Delete the first one', answer: 'Deleted.' };
    expect(shape(route('Delete the first one', [listed]))).toEqual(['single', ['user-service']]);
    expect(shape(route('And the second one', [listed, deleted]))).toEqual(['single', ['user-service']]);
    expect(shape(route('Now fibonacci(20)', [listed]))).toEqual(['single', ['general-purpose-agent']]);
    expect(shape(route('What is the weather in Paris?', [listed]))).toEqual([
      'single',
      ['general-purpose-agent'],
    ]);
  });

  test('tells the others what to look at, and why each was chosen', () => {
    const { tasks, reasoning } = route('Which services are at risk and what does the runbook say?');
    expect(tasks.map(({ instructions }) => instructions)).toEqual([
      '',
      'Give the telemetry of the links that do worst.',
      'Look up what to do about the failure that was found.',
    ]);
    expect(reasoning).toContain('runbooks');
    expect(tasks[0]?.reasoning).toContain('at risk');
  });

  test('fits the reference form of one choice too, whatever the agents are called', () => {
    const answerSchema = {
      type: 'object',
      properties: {
        agent_name: { type: 'string', enum: ['GPA', 'UMS'] },
        additional_instructions: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
      },
      required: ['agent_name'],
    };
    const system = 'Choose.\n- **GPA**: General purpose agent.\n- **UMS**: Users management service agent.';
    const choose = (text: string): unknown =>
      JSON.parse(decideOn({ messages: [{ role: 'system', text: system }, user(text)], answerSchema }).text);
    expect(choose('Find users called Ann')).toEqual({ agent_name: 'UMS', additional_instructions: null });
    expect(choose('Calculate 3 + 4')).toEqual({ agent_name: 'GPA', additional_instructions: null });
  });
});

describe('synthesis', () => {
  const finding = (title: string, text: string): { agent: string; title: string; text: string } => ({
    agent: title,
    title,
    text,
  });

  test('gives the answer of a single agent as it is', () => {
    const messages = synthesisMessages(
      'Calculate fibonacci(10)',
      [finding('GPA', '**fibonacci(10) = 55**.')],
      [],
    );
    expect(decideOn({ messages }).text).toBe('**fibonacci(10) = 55**.');
  });

  test('keeps the analysis and the sources of a structured answer, and leaves the raw results out', () => {
    const text =
      '---QUERY---\nSELECT 1\n---RESULTS---\n{"rows":[]}\n---CITATIONS---\n[1] RB-001\n---ANALYSIS---\nThree paths.\n\nAll lost.';
    const failed = { ...finding('Telemetry', ''), failure: 'it did not answer.' };
    const answer = decideOn({
      messages: synthesisMessages('Which?', [finding('Graph', text), failed], []),
    }).text;
    expect(answer).toBe(
      '**Graph**: Three paths.\n\nAll lost.\n\nSources:\n[1] RB-001\n\n**Telemetry** could not help: it did not answer.',
    );
  });
});

describe('follow-ups', () => {
  const code = [toolNamed('run_javascript')];
  const ran = (n: string, value: string): Message[] => [
    {
      role: 'assistant',
      text: '',
      calls: [
        {
          id: 'c',
          tool: 'run_javascript',
          arguments: JSON.stringify({ code: `function fibonacci(n) {}\nfibonacci(${n}n)` }),
        },
      ],
    },
    {
      role: 'tool',
      call: 'c',
      text: JSON.stringify({ ok: true, result: { value: { [`fibonacci(${n})`]: value } } }),
    },
  ];

  test('“now 20” takes the function from the calls that were restored, and the answer remembers what came before', () => {
    const before = [
      user('Calculate the 10th one of that famous sequence'),
      ...ran('10', '55'),
      { role: 'assistant', text: '55.' } as const,
    ];
    const asked = decideOn({ messages: [...before, user('Now 20')], tools: code });
    expect(asked.calls).toEqual([
      { tool: 'run_javascript', arguments: { code: expect.stringContaining('fibonacci(20n)') } },
    ]);
    const answered = decideOn({ messages: [...before, user('Now 20'), ...ran('20', '6765')], tools: code });
    expect(answered.text).toContain('fibonacci(20) = 6765');
    expect(answered.text).toContain('Before that it was fibonacci(10) = 55');
  });

  test('a follow-up while the question is open adds to it', () => {
    const { calls } = decideOn({
      messages: [user('Calculate fibonacci(10)'), user('Be brief, please')],
      tools: code,
    });
    expect(calls).toHaveLength(1);
  });

  test('without the tool a calculation is not guessed', () => {
    expect(decideOn({ messages: [user('Calculate fibonacci(10)')] }).text).toContain(
      'none of my rules matches',
    );
  });
});

describe('users', () => {
  const tools = ['search_users', 'get_user', 'create_user', 'update_user', 'delete_user'].map(toolNamed);
  const list: Message[] = [
    user('List users named John'),
    { role: 'assistant', text: '', calls: [{ id: 's', tool: 'search_users', arguments: '{"name":"John"}' }] },
    {
      role: 'tool',
      call: 's',
      text: JSON.stringify({
        total: 2,
        users: [
          { id: 7, first_name: 'John', last_name: 'Kelly' },
          { id: 9, first_name: 'John', last_name: 'Nguyen' },
        ],
      }),
    },
    { role: 'assistant', text: '1. John Kelly\n2. John Nguyen' },
  ];
  const calls = (text: string, before: readonly Message[] = []): unknown =>
    decideOn({ messages: [...before, user(text)], tools }).calls;

  test.for([
    ['List users named John', 'search_users', { name: 'John' }],
    ['How many users are called Olivia?', 'search_users', { name: 'Olivia' }],
    ['Find users named John Smith', 'search_users', { first_name: 'John', last_name: 'Smith' }],
    ['List users in Perth', 'search_users', { city: 'Perth' }],
    ['List all users', 'search_users', {}],
    ['Show user 17', 'get_user', { id: 17 }],
    [
      'Create user Ada King with email ada@example.au',
      'create_user',
      { first_name: 'Ada', last_name: 'King', email: 'ada@example.au' },
    ],
    ['Change the city of user 12 to Hobart', 'update_user', { id: 12, city: 'Hobart' }],
    ['Delete user 3', 'delete_user', { id: 3 }],
    ['Delete John Smith', 'search_users', { first_name: 'John', last_name: 'Smith' }],
  ] as const)('%s', ([text, tool, given]) => {
    expect(calls(text)).toEqual([{ tool, arguments: given }]);
  });

  test('“the first one” is of the list that was given', () => {
    expect(calls('Delete the first one', list)).toEqual([{ tool: 'delete_user', arguments: { id: 7 } }]);
    expect(calls('Remove the last one', list)).toEqual([{ tool: 'delete_user', arguments: { id: 9 } }]);
    expect(calls('Change the email of the second one to j@n.au', list)).toEqual([
      { tool: 'update_user', arguments: { id: 9, email: 'j@n.au' } },
    ]);
    expect(decideOn({ messages: [user('Delete the first one')], tools }).text).toContain(
      'I do not know who is meant',
    );
    expect(decideOn({ messages: [...list, user('Delete the fifth one')], tools }).text).toContain(
      'not that long',
    );
  });
});

test('a tool is called by its name, with the values the message gives', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  };
  const tools = [{ name: 'everything__get-sum', description: 'Adds.', schema }];
  const { calls } = decideOn({ messages: [user('Use get-sum with a=3 and b=4')], tools });
  expect(calls).toEqual([{ tool: 'everything__get-sum', arguments: { a: 3, b: 4 } }]);
});
