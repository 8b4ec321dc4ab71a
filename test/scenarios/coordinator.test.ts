// Routers that answer as they like, and agents that fail, dawdle or say nothing, as whoever asks over HTTP sees it.
import { describe, expect, test } from 'vitest';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import type { Move } from '../../src/gateways/scripted/script.ts';
import type { Gateway, Turn } from '../../src/index.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import type { Json } from '../../src/run/values.ts';
import { decideOn, serving, textAt, untilAnswer, type Serving } from '../serving.ts';

type Part = readonly Move[] | ((turn: Turn) => readonly Move[]);

interface Team {
  readonly at: Serving;
  /** What each was sent, by name. */
  readonly sent: ReadonlyMap<string, readonly Turn[]>;
  start(input: object, conversation?: string): Promise<string>;
  /** The run once it has ended, or waits for a person. */
  told(run: string): Promise<FlatTree>;
  ask(text: string, conversation?: string): Promise<FlatTree>;
}

const say = (text: string): Move[] => [{ type: 'say', text }];
const fails: Move[] = [{ type: 'fail', code: 'unavailable', message: 'It is down.' }];

/** A coordinator over agents with these parts; `books` and `graph` answer unless said. */
async function team(plan: Json | string, parts: Record<string, Part> = {}, settings = {}): Promise<Team> {
  const sent = new Map<string, Turn[]>();
  const playing: Record<string, Part> = {
    router: say(typeof plan === 'string' ? plan : JSON.stringify(plan)),
    writer: (turn) => say(`Written: ${turn.messages.at(-1)?.text ?? ''}`),
    graph: say('three paths'),
    books: say('see page 4'),
    ...parts,
  };
  const gatewayOf = (name: string, part: Part): Gateway => {
    const inner = scriptedGateway((turn) => (typeof part === 'function' ? part(turn) : part));
    return {
      takeTurn(turn, signal) {
        sent.set(name, [...(sent.get(name) ?? []), turn]);
        return inner.takeTurn(turn, signal);
      },
    };
  };
  const staff = ['router', 'writer'];
  const delegates = Object.keys(playing).filter((name) => !staff.includes(name));
  const agents = Object.fromEntries(
    Object.entries(playing).map(([name, part]) => [
      name,
      staff.includes(name)
        ? { gateway: gatewayOf(name, part), effect: 'pure' as const }
        : {
            gateway: gatewayOf(name, part),
            state: 'restore' as const,
            keeps: { exchanges: 2 },
            trusted: true,
          },
    ]),
  );
  const described = delegates.map((name) => ({
    name,
    title: name[0]?.toUpperCase() + name.slice(1),
    description: name,
  }));
  const at = await serving({
    config: {
      agents,
      apps: {
        team: {
          flow: 'coordinate',
          settings: { router: 'router', writer: 'writer', fallback: 'books', agents: described, ...settings },
        },
      },
      defaultApp: 'team',
    },
  });
  const start = async (input: object, conversation?: string): Promise<string> => {
    const json = { input, ...(conversation === undefined ? {} : { conversation }) };
    return textAt(await at.ask('/api/runs', { json }), 'run');
  };
  const told = async (run: string): Promise<FlatTree> => {
    const isThere = /completed|failed|waiting/;
    const answer = await untilAnswer(
      () => at.ask(`/api/runs/${run}`),
      (one) => isThere.test(textAt(one, 'status')),
    );
    return answer.json as FlatTree;
  };
  const ask = async (text: string, conversation?: string): Promise<FlatTree> =>
    told(await start({ text }, conversation));
  return { at, sent, start, told, ask };
}

const plan = (strategy: string, ...tasks: Json[]): Json => ({ strategy, reasoning: null, tasks });
const codes = ({ notices }: FlatTree): string[] => notices.map(({ code }) => code);
const said = ({ notices }: FlatTree, code: string): string[] =>
  notices.filter((notice) => notice.code === code).map(({ message }) => message);
const step = ({ steps }: FlatTree, title: string) =>
  steps.find((one) => one.title === title && one.kind === 'agent');
const heard = ({ sent }: Team, agent: string): string => sent.get(agent)?.at(-1)?.messages.at(-1)?.text ?? '';

describe('a plan', () => {
  test('[K30] whose dependencies are counted from 1 is not a circle', async () => {
    const tasks: Json[] = [{ agent: 'graph' }, { agent: 'books', dependsOn: [1] }];
    const crew = await team(plan('hybrid', ...tasks));
    const tree = await crew.ask('Risk?');
    expect(codes(tree)).toEqual([]);
    expect(heard(crew, 'books')).toBe('Risk?\n\nResult of Graph:\nthree paths');
  });

  test('[K30] that is called parallel and has dependencies keeps them, and it is said', async () => {
    const tasks: Json[] = [
      { key: 'paths', agent: 'graph' },
      { key: 'page', agent: 'books', dependsOn: ['paths'] },
    ];
    const crew = await team(plan('parallel', ...tasks));
    const tree = await crew.ask('Risk?');
    expect(heard(crew, 'books')).toContain('three paths');
    expect(codes(tree)).toEqual(['PLAN_REPAIRED']);
  });

  test('[K30] tells the router that tasks have keys, and what is attached', async () => {
    const crew = await team({ agent_name: 'graph' });
    const attachments = [
      { type: 'application/pdf', title: 'report.pdf', data: 'JVBERi0=' },
      { type: 'text/plain', data: 'secret words' },
    ];
    await crew.told(await crew.start({ text: 'What does page 3 say?', attachments }));
    const [turn] = crew.sent.get('router') ?? [];
    expect(turn?.messages.at(-1)?.text).toBe(
      'What does page 3 say?\n\nAttached: report.pdf (application/pdf), text/plain',
    );
    expect(turn?.messages[0]?.text).toContain('dependsOn has the keys');
    expect(JSON.stringify(turn)).not.toContain('secret words');
  });

  const answers: readonly (readonly [string, string])[] = [
    ['a code fence', '```json\n{"agent_name": "graph"}\n```'],
    ['sentences', 'I think {maybe} this: {"strategy":"single","tasks":[{"agent":"graph"}]} Good luck!'],
    ['another case', '{"strategy":"Single","tasks":[{"agent":" GRAPH "}]}'],
    ['a list', '[{"agent":"Graph"}]'],
  ];
  test.for(answers)('[K33] in %s is read', async ([, answer]) => {
    const crew = await team(answer);
    const tree = await crew.ask('Which paths?');
    expect(codes(tree)).toEqual([]);
    expect([heard(crew, 'graph'), crew.sent.get('books')]).toEqual(['Which paths?', undefined]);
  });

  test('[K33] with a stranger and a dependency that is not there loses only those, and it is said', async () => {
    const tasks: Json[] = [
      { key: 'a', agent: 'graph' },
      { key: 'b', agent: 'nobody' },
      { key: 'c', agent: 'books', dependsOn: ['a', 'z'] },
    ];
    const crew = await team(plan('hybrid', ...tasks));
    const tree = await crew.ask('Risk?');
    expect(heard(crew, 'books')).toBe('Risk?\n\nResult of Graph:\nthree paths');
    expect(said(tree, 'PLAN_REPAIRED')).toEqual([
      '«nobody» is not among graph, books: what the router planned for it is left out.',
      '«books» is to wait for «z», which is not in the plan: it does not wait for that.',
    ]);
  });

  test.for([
    ['a thought', '<think>maybe {"agent_name":"books"} no...</think>{"agent_name":"graph"}', []],
    [
      'a plan before it',
      '{"agent_name":"books"}\n{"agent_name":"graph"}',
      ['The router gave 2 plans that differ: the last one is followed.'],
    ],
  ] as const)('[K54] [K55] is followed, and %s is not', async ([, answer, repairs]) => {
    const crew = await team(answer);
    const tree = await crew.ask('Which paths?');
    expect([heard(crew, 'graph'), crew.sent.get('books')]).toEqual(['Which paths?', undefined]);
    expect(said(tree, 'PLAN_REPAIRED')).toEqual(repairs);
  });

  test.for([
    [
      'that breaks off',
      '{"strategy":"parallel","tasks":[{"agent":"graph"},',
      "The router's plan cannot be read: its JSON is broken, or breaks off.",
    ],
    [
      'that is a circle',
      JSON.stringify(
        plan('hybrid', { agent: 'graph', dependsOn: ['desk'] }, { agent: 'desk', dependsOn: ['graph'] }),
      ),
      "Everybody in the router's plan waits for themselves (Graph → Desk → Graph).",
    ],
    [
      'of one who waits for itself',
      JSON.stringify(plan('hybrid', { key: 'a', agent: 'graph', dependsOn: ['a'] })),
      "Everybody in the router's plan waits for themselves (Graph → Graph).",
    ],
    [
      'in which all need a stranger',
      JSON.stringify(plan('hybrid', { agent: 'gamma' }, { agent: 'graph', dependsOn: ['gamma'] })),
      "Nobody in the router's plan can begin without «gamma», which is not there.",
    ],
  ] as const)('[K56] [K58] %s is none: the fallback takes the message', async ([, answer, why]) => {
    const crew = await team(answer, { desk: say('D') });
    const tree = await crew.ask('Which paths?');
    expect(said(tree, 'ROUTING_FAILED')).toEqual([`${why} Books takes the message.`]);
    expect([...crew.sent.keys()]).toEqual(['router', 'books', 'writer']);
    expect(tree.status).toBe('completed');
  });

  test('[K33] names the circle it goes in', async () => {
    const tasks: Json[] = [
      { key: 'a', agent: 'graph', dependsOn: ['b'] },
      { key: 'b', agent: 'books', dependsOn: ['a'] },
      { key: 'c', agent: 'maps', dependsOn: ['b'] },
      { key: 'd', agent: 'desk' },
    ];
    const crew = await team(plan('hybrid', ...tasks), { maps: say('M'), desk: say('D') });
    const tree = await crew.ask('Risk?');
    expect(said(tree, 'CIRCULAR_PLAN')).toEqual([
      'Graph is left out: it waits for itself (Graph → Books → Graph).',
      'Books is left out: it waits for itself (Books → Graph → Books).',
      'Maps is left out: it waits for Books, which cannot begin.',
    ]);
    expect(step(tree, 'Maps')).toMatchObject({ status: 'skipped' });
    expect(heard(crew, 'writer')).toContain('Agent Response (Maps):\n[not asked: it waits for Books');
  });
});

describe('when an agent fails', () => {
  const chain = plan('sequential', { agent: 'graph' }, { agent: 'books' }, { agent: 'maps' });
  const beside = plan(
    'hybrid',
    { key: 'a', agent: 'graph' },
    { agent: 'books', dependsOn: ['a'] },
    { agent: 'maps' },
  );

  test('[K32] whoever needs it is skipped with the reason, and the writer is told', async () => {
    const crew = await team(beside, { graph: fails, maps: say('M') });
    const tree = await crew.ask('Delete what was found');
    expect(crew.sent.get('books')).toBeUndefined();
    const reason = 'it needs what Graph was to find, which failed: It is down.';
    expect(step(tree, 'Books')).toMatchObject({ status: 'skipped', failure: { message: reason } });
    expect(heard(crew, 'writer')).toContain(`Agent Response (Books):\n[not asked: ${reason}]`);
    expect(tree.status).toBe('completed');
  });

  test('[K32] and everybody else needs it, the run fails and says why of each', async () => {
    const tree = await (await team(chain, { graph: fails, maps: say('M') })).ask('Delete what was found');
    expect(tree).toMatchObject({ status: 'failed' });
    expect(tree.answer).toContain('Graph could not help: It is down.');
    expect(tree.answer).toContain(
      'Maps was not asked: it needs what Books was to find, which was not asked.',
    );
  });

  const needsStranger = plan(
    'hybrid',
    { agent: 'gamma' },
    { agent: 'books', dependsOn: ['gamma'] },
    { agent: 'graph' },
  );

  test('[K61] because somebody said no, it is not said to have broken', async () => {
    const books: Move[] = [{ type: 'fail', code: 'refused', message: 'ann rejected «Books».' }];
    const tree = await (await team({ agent_name: 'books' }, { books })).ask('Risk?');
    expect(said(tree, 'AGENT_FAILED')).toEqual(['Books was refused: ann rejected «Books».']);
  });

  test('[K59] whoever needs what a stranger was to find is skipped, too', async () => {
    const crew = await team(needsStranger);
    const tree = await crew.ask('Risk?');
    expect(crew.sent.get('books')).toBeUndefined();
    expect(step(tree, 'Books')).toMatchObject({ status: 'skipped' });
    expect(heard(crew, 'writer')).toContain(
      'Agent Response (Books):\n[not asked: it needs what «gamma» was to find, which was left out of the plan.]',
    );
    expect(heard(crew, 'graph')).toBe('Risk?');
  });

  test('[K59] `continue` tells them so, and `ask` asks a person', async () => {
    const going = await team(needsStranger, {}, { onFailure: 'continue' });
    await going.ask('Risk?');
    expect(heard(going, 'books')).toBe('Risk?\n\nResult of «gamma»:\n[failed: It was left out of the plan.]');
    const asking = await team(needsStranger, {}, { onFailure: 'ask' });
    const tree = await asking.ask('Risk?');
    expect(asking.sent.get('books')).toBeUndefined();
    expect(tree.approvals).toMatchObject([
      {
        title: 'Go on with Books?',
        message: 'It was to work with what «gamma» finds. «gamma» failed: It was left out of the plan.',
      },
    ]);
  });

  test('[K32] `continue` tells whoever needs it that nothing was found', async () => {
    const crew = await team(chain, { graph: fails, maps: say('M') }, { onFailure: 'continue' });
    await crew.ask('Delete what was found');
    expect(heard(crew, 'books')).toBe('Delete what was found\n\nResult of Graph:\n[failed: It is down.]');
  });

  test.for([
    ['approve', ['Books: see page 4', 'Maps: M'], 'completed'],
    ['reject', ['did not want to go on without Graph: not today', 'Maps was not asked'], 'failed'],
  ] as const)('[K32] `ask` asks a person, who may %s', async ([decision, answers, outcome]) => {
    const parts = { graph: fails, maps: say('M'), writer: fails };
    const crew = await team(chain, parts, { onFailure: 'ask' });
    const run = await crew.start({ text: 'Delete what was found' });
    const [question] = (await crew.told(run)).approvals;
    expect(question).toMatchObject({
      title: 'Go on with Books?',
      message: 'It was to work with what Graph finds. Graph failed: It is down.',
    });
    await decideOn(crew.at, question?.id ?? '', { decision, rationale: 'not today' });
    const { json } = await untilAnswer(
      () => crew.at.ask(`/api/runs/${run}`),
      (one) => /completed|failed/.test(textAt(one, 'status')),
    );
    const tree = json as FlatTree;
    for (const part of answers) expect(tree.answer).toContain(part);
    expect(step(tree, 'Books')?.status).toBe(outcome);
  });
});

describe('there is always an answer', () => {
  const one = { agent_name: 'graph' };

  test.for([
    ['an agent that says nothing', []],
    [
      'an agent that speaks only in stages',
      [
        { type: 'stage.opened', stage: '0', title: 'Thinking' },
        { type: 'stage.appended', stage: '0', text: 'hm' },
        { type: 'stage.closed', stage: '0', outcome: 'completed' },
      ],
    ],
  ] as const)('[K35] of %s, though the writer fails', async ([, moves]) => {
    const crew = await team(one, { graph: [...moves] as Move[], writer: fails });
    const tree = await crew.ask('Which paths?');
    expect(tree).toMatchObject({ status: 'completed', answer: 'Graph said nothing.' });
    expect(codes(tree)).toEqual(['AGENT_SILENT', 'SYNTHESIS_FAILED']);
  });

  test('[K35] and the writer is told who said nothing', async () => {
    const crew = await team(one, { graph: [] });
    await crew.ask('Which paths?');
    expect(heard(crew, 'writer')).toContain('Agent Response (Graph):\n[It said nothing.]');
  });

  test('[K36] an agent that asks for tools is told of, to people and to the writer', async () => {
    const call: Move = { type: 'call', call: 'c1', tool: 'lookup', arguments: ['{"id":7}'] };
    const crew = await team(one, { graph: [...say('One moment.'), call] });
    const tree = await crew.ask('Which paths?');
    expect(said(tree, 'CALLS_UNANSWERED')).toEqual([
      'graph asked for lookup, which nobody runs for it here: its answer may be incomplete.',
    ]);
    expect(heard(crew, 'writer')).toContain(
      'One moment.\n\n[It is not finished: it asked for lookup({"id":7}), and they were not run.]',
    );
  });

  test('[K37] an agent that answers with an attachment alone is not taken for silent', async () => {
    const item = {
      kind: 'attachment',
      attachment: { type: 'image/png', title: 'map.png', data: 'AA==' },
    } as const;
    const crew = await team(one, { graph: [{ type: 'item.attached', item }] });
    const tree = await crew.ask('Which paths?');
    expect(codes(tree)).toEqual([]);
    expect(heard(crew, 'writer')).toContain('[It said nothing, and attached: map.png]');
  });
});

test('[K38] what is left out of a long conversation is said once', async () => {
  const settings = { exchanges: 2 };
  const crew = await team({ agent_name: 'graph' }, {}, settings);
  const begun = textAt(await crew.at.ask('/api/runs', { json: { input: { text: 'one' } } }), 'conversation');
  for (const text of ['two', 'three', 'four']) await crew.ask(text, begun);
  const tree = await crew.ask('five', begun);
  expect(codes(tree)).toEqual(['HISTORY_BOUNDED']);
});
