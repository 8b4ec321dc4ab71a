import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anyCut } from '../../../test/cuts.ts';
import { bugsIn, delegate } from '../../../test/delegate.ts';
import { dial } from '../../../test/dial-frames.ts';
import { sized } from '../../../test/long.ts';
import { outline } from '../../../test/outline.ts';
import { anyStages, interleaved, stagesIn } from '../../../test/stage-pieces.ts';
import { openStrictDial } from '../../../test/strict-dial.ts';
import { type Act, sse, type Upstream } from '../../../test/upstream.ts';
import type { RunTree } from '../../run/tree.ts';
import { dialGateway } from './dial.ts';

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openStrictDial();
});
afterEach(() => upstream.close());

const capture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../test/captures/dial/${name}`, import.meta.url));
const json: Act = { head: 200, headers: { 'content-type': 'application/json' } };

async function grown(acts: readonly Act[]): Promise<RunTree> {
  upstream.answer(acts);
  const gateway = dialGateway({ baseUrl: upstream.url, deployment: 'gpa', key: 'secret-key-1' });
  const { tree, world } = await delegate({ gateway, name: 'gpa', state: 'restore' });
  expect(bugsIn(world)).toEqual([]);
  expect(tree.open.size).toBe(0);
  return tree;
}

async function shown(acts: readonly Act[]): Promise<string> {
  return outline(await grown(acts), 1);
}

const streamed = (name: string): Promise<string> =>
  shown([sse, { send: capture(`${name}.stream.sse`) }, 'end']);

describe('captures of a real server', () => {
  test('an agent with stages, attachments and state', async () => {
    expect(await streamed('general-purpose-agent')).toMatchInlineSnapshot(`
      "turn «gpa» completed
        content "Hello from GPA 😀"
        0 attachment image/png chart.png "files/bucket/appdata/chart.png"
        stage «Web Search» completed
          content "## Request arguments: \\nweather in Paris"
          0 attachment text/plain search_results.txt "result body"
          1 attachment text/html src "https://example.test/a" "https://example.test/a" "text/html"
        stage «Python Code» failed
          content "\`\`\`python\\nprint(1)\\n\`\`\`"
        stage «Never closed» abandoned
          content "dangling""
    `);
  });

  test('the same answer in one piece', async () => {
    const text = await shown([json, { send: capture('general-purpose-agent.nostream.json') }, 'end']);
    expect(text).toMatchInlineSnapshot(`
      "turn «gpa» completed
        content "Hello from GPA 😀"
        0 attachment image/png chart.png "files/bucket/appdata/chart.png"
        stage «Web Search» completed
          content "## Request arguments: \\nweather in Paris"
          0 attachment text/plain search_results.txt "result body"
          1 attachment text/html src "https://example.test/a" "https://example.test/a" "text/html"
        stage «Python Code» failed
          content "\`\`\`python\\nprint(1)\\n\`\`\`"
        stage «Never closed» abandoned
          content "dangling""
    `);
  });

  test('an error after a stop', async () => {
    expect(await streamed('boom1')).toMatchInlineSnapshot(`
      "turn «gpa» failed (unavailable: Deployment gpa reported an error: Upstream failed, try later. It may have acted on the message all the same.)
        content "partial "
        stage «Working» failed
          content "step 1""
    `);
  });

  test('tool calls', async () => {
    expect(await streamed('tools')).toMatchInlineSnapshot(`
      "turn «gpa» completed
        call call_a get_weather {"city":"Paris"}
        call call_b get_time {}
        ! CALLS_UNANSWERED gpa asked for get_weather, get_time, which nobody runs for it here: its answer may be incomplete."
    `);
  });

  test('a function call', async () => {
    const text = (await streamed('func')).replace(/call_[0-9a-f]{12}_0/, 'call_made_up');
    expect(text).toMatchInlineSnapshot(`
      "turn «gpa» completed
        call call_made_up get_weather {"city":"Paris"}
        ! CALLS_UNANSWERED gpa asked for get_weather, which nobody runs for it here: its answer may be incomplete."
    `);
  });

  test('a refusal before the stream', async () => {
    const head: Act = { head: 429, headers: { 'content-type': 'application/json', 'retry-after': '0' } };
    const text = await shown([head, { send: capture('boom0.json') }, 'end']);
    expect(text).toMatchInlineSnapshot(
      `"turn «gpa» failed, attempt 3 (unavailable: Deployment gpa answered 429: Slow down.)"`,
    );
  });
});

const answer = (...frames: string[]): Act[] => [
  sse,
  ...[dial.role, ...frames, dial.stop, dial.done].map((send) => ({ send })),
  'end',
];
const malformed = '  ! UPSTREAM_MALFORMED';

interface Case {
  readonly name: string;
  readonly frames: readonly string[];
  /** What is below the turn. */
  readonly tree: readonly string[];
}

describe('stages', () => {
  test.for<Case>([
    {
      name: 'a first piece that carries everything',
      frames: [
        dial.stage({
          index: 0,
          name: 'Search',
          content: 'found',
          attachments: [
            { index: 7, title: 'hits', data: 'a' },
            { type: 'text/html', url: 'https://x.test' },
          ],
          status: 'completed',
        }),
      ],
      tree: [
        '  stage «Search» completed',
        '    content "found"',
        '    0 attachment text/markdown hits "a"',
        '    1 attachment text/html "https://x.test"',
      ],
    },
    {
      name: 'a later piece that carries everything',
      frames: [
        dial.stage({ index: 0, name: 'Se', status: null }),
        dial.stage({ index: 0, name: 'arch', content: 'x', attachments: [{ data: 'a' }], status: 'failed' }),
      ],
      tree: ['  stage «Search» failed', '    content "x"', '    0 attachment text/markdown "a"'],
    },
    {
      name: 'several stages in one frame, beside text, an attachment and a state',
      frames: [
        dial.delta({
          content: 'Hello',
          custom_content: {
            stages: [
              { index: 0, name: 'A', status: null },
              { index: 1, name: 'B', status: 'completed' },
              { index: 0, content: 'a', status: 'completed' },
            ],
            attachments: [{ index: 0, type: 'image/png', url: 'files/a.png' }],
            state: { tool_call_history: [] },
          },
        }),
      ],
      tree: [
        '  content "Hello"',
        '  0 attachment image/png "files/a.png"',
        '  stage «A» completed',
        '    content "a"',
        '  stage «B» completed',
      ],
    },
    {
      name: 'a stage that gets its name in pieces, after text',
      frames: [
        dial.stage({ index: 0, name: null, status: null }),
        dial.stage({ index: 0, content: 'x' }),
        dial.stage({ index: 0, name: 'Late ', status: null }, { index: 0, name: 'name' }),
        dial.stage({ index: 0, status: 'completed' }),
      ],
      tree: ['  stage «Late name» completed', '    content "x"'],
    },
    {
      name: 'a first piece with text and without a name',
      frames: [
        dial.stage({ index: 0, name: null, content: 'x' }),
        dial.stage({ index: 0, status: 'completed' }),
      ],
      tree: ['  stage «Stage 0» completed', '    content "x"'],
    },
    {
      name: 'a stage that is never named',
      frames: [
        dial.stage({ index: 4, name: null, status: null }),
        dial.stage({ index: 4, status: 'completed' }),
      ],
      tree: ['  stage «Stage 4» completed'],
    },
    {
      name: 'the status open, as an old decision record has it, also on every piece',
      frames: [
        dial.stage({ index: 0, name: 'A', status: 'open' }),
        dial.stage({ index: 0, content: 'x', status: 'open' }),
        dial.stage({ index: 0, status: 'completed' }),
      ],
      tree: ['  stage «A» completed', '    content "x"'],
    },
    {
      name: 'sparse indexes in any order',
      frames: [
        dial.stage({ index: 9, name: 'nine', status: null }, { index: 4, name: 'four', status: null }),
        dial.stage({ index: 4, status: 'completed' }, { index: 9, status: 'failed' }),
      ],
      tree: ['  stage «nine» failed', '  stage «four» completed'],
    },
    {
      name: 'stages inside stages, to any depth, zero included',
      frames: [
        dial.stage({ index: 0, name: 'A', status: null }),
        dial.stage({ index: 1, name: 'A.1', parent_stage_index: 0, status: null }),
        dial.stage({ index: 2, name: 'A.1.1', parent_stage_index: 1, status: 'completed' }),
        dial.stage({ index: 1, status: 'completed' }, { index: 0, status: 'completed' }),
      ],
      tree: ['  stage «A» completed', '    stage «A.1» completed', '      stage «A.1.1» completed'],
    },
    {
      name: 'a stage that is closed before those inside it',
      frames: [
        dial.stage({ index: 0, name: 'A', status: null }, { index: 1, name: 'B', parent_stage_index: 0 }),
        dial.stage({ index: 0, status: 'failed' }),
        dial.stage({ index: 1, content: 'still here' }, { index: 1, status: 'completed' }),
      ],
      tree: ['  stage «A» failed', '    stage «B» completed', '      content "still here"'],
    },
    {
      name: 'a stage below one that is not there, one that is closed, and itself',
      frames: [
        dial.stage({ index: 0, name: 'A', parent_stage_index: 5, status: 'completed' }),
        dial.stage({ index: 1, name: 'B', parent_stage_index: 0, status: 'completed' }),
        dial.stage({ index: 2, name: 'C', parent_stage_index: 2, status: 'completed' }),
      ],
      tree: [
        `${malformed} The back end put a stage under one it never opened (5).`,
        `${malformed} The back end put a stage under one that is closed (0).`,
        `${malformed} The back end put a stage under one it never opened (2).`,
        '  stage «A» completed',
        '  stage «B» completed',
        '  stage «C» completed',
      ],
    },
    {
      name: 'a stage that is put elsewhere later',
      frames: [
        dial.stage({ index: 0, name: 'A' }, { index: 1, name: 'B' }),
        dial.stage({ index: 1, content: 'b', parent_stage_index: 0, status: 'completed' }),
        dial.stage({ index: 0, status: 'completed' }),
      ],
      tree: [
        `${malformed} Deployment gpa sent stage 1 again, now below stage 0; it stays where it was`,
        '  stage «A» completed',
        '  stage «B» completed',
        '    content "b"',
      ],
    },
    {
      name: 'a close of something never opened',
      frames: [
        dial.stage({ index: 5, status: 'completed' }),
        dial.stage({ index: 6, name: null, status: 'failed' }),
      ],
      tree: [
        `${malformed} The back end closed a stage it never opened (5).`,
        `${malformed} The back end closed a stage it never opened (6).`,
      ],
    },
    {
      name: 'text and attachments for something never opened, which then goes on',
      frames: [
        dial.stage({ index: 3, content: 'x', status: null }),
        dial.stage({ index: 3, name: 'Named', status: null }, { index: 3, status: 'completed' }),
        dial.stage({ index: 8, attachments: [{ data: 'a' }] }),
        dial.stage({ index: 8, status: 'completed' }),
      ],
      tree: [
        `${malformed} The back end wrote to a stage it never opened (3).`,
        `${malformed} The back end wrote to a stage it never opened (8).`,
        '  stage «Named» completed',
        '    content "x"',
        '  stage «Stage 8» completed',
        '    0 attachment text/markdown "a"',
      ],
    },
    {
      name: 'a second opening of what is open',
      frames: [
        dial.stage({ index: 0, name: 'A', status: 'open' }),
        dial.stage({ index: 0, name: 'B', content: 'kept', status: 'open' }),
        dial.stage({ index: 0, status: 'completed' }),
      ],
      tree: [
        `${malformed} The back end opened a stage twice (0, «B»).`,
        '  stage «A» completed',
        '    content "kept"',
      ],
    },
    {
      name: 'a reused index',
      frames: [
        dial.stage({ index: 0, name: 'A', content: 'a', status: 'completed' }),
        dial.stage({ index: 0, name: 'B', status: null }),
        dial.stage({ index: 0, content: 'b', status: 'failed' }),
      ],
      tree: [
        `${malformed} The back end used a closed stage again (0, «B»); it is shown as another.`,
        '  stage «A» completed',
        '    content "a"',
        '  stage «B» failed',
        '    content "b"',
      ],
    },
    {
      name: 'text after the close, and a second close',
      frames: [
        dial.stage({ index: 0, name: 'A', status: 'completed' }),
        dial.stage({ index: 0, content: 'late' }),
        dial.stage({ index: 0, status: 'failed' }),
      ],
      tree: [
        `${malformed} The back end went on with a closed stage (0): «late».`,
        `${malformed} The back end went on with a closed stage (0).`,
        '  stage «A» completed',
      ],
    },
    {
      name: 'a missing index, and indexes that are none',
      frames: [
        dial.stage({ name: 'A', content: 'lost?', status: null }),
        dial.stage({ index: -1, name: 'B' }, { index: 1.5 }, { index: '0' }, { index: null }, null, 'x', []),
      ],
      tree: [
        `${malformed} Deployment gpa sent a stage whose index cannot be read: {"name":"A","content":"lost?","status":null}`,
        `${malformed} Deployment gpa sent a stage whose index cannot be read: {"index":-1,"name":"B"}`,
        `${malformed} Deployment gpa sent a stage whose index cannot be read: {"index":1.5}`,
        `${malformed} Deployment gpa sent a stage whose index cannot be read: {"index":"0"}`,
        `${malformed} Deployment gpa sent a stage whose index cannot be read: {"index":null}`,
        `${malformed} Deployment gpa sent a stage that cannot be read: null`,
        `${malformed} Deployment gpa sent a stage that cannot be read: "x"`,
        `${malformed} Deployment gpa sent a stage that cannot be read: []`,
      ],
    },
    {
      name: 'fields that are wrong, which do not cost those beside them',
      frames: [
        dial.stage({
          index: 0,
          name: 'A',
          content: { a: 1 },
          attachments: [1, {}, { data: 'x' }],
          status: 'done',
        }),
        dial.stage({ index: 0, content: 'a', parent_stage_index: 'top', status: 'completed' }),
        dial.custom({ stages: 'none', attachments: [{ title: 5, url: 'u' }] }),
        dial.custom('nothing'),
      ],
      tree: [
        '  0 attachment text/markdown "u"',
        `${malformed} Deployment gpa sent a stage whose content and status cannot be read: {"index":0,"name":"A","content":{"a":1},"attachments":[1,{},{"data":"x"}],"status":"done"}`,
        `${malformed} Deployment gpa sent an attachment that cannot be read: 1`,
        `${malformed} Deployment gpa sent an attachment with nothing in it: {}`,
        `${malformed} Deployment gpa sent a stage whose parent_stage_index cannot be read: {"index":0,"content":"a","parent_stage_index":"top","status":"completed"}`,
        `${malformed} Deployment gpa sent custom content whose stages cannot be read`,
        `${malformed} Deployment gpa sent an attachment whose title cannot be read: {"title":5,"url":"u"}`,
        `${malformed} Deployment gpa sent custom content that cannot be read`,
        '  stage «A» completed',
        '    content "a"',
        '    0 attachment text/markdown "x"',
      ],
    },
    {
      name: 'a stage that is never closed',
      frames: [dial.stage({ index: 0, name: 'A', status: null }), dial.stage({ index: 0, content: 'a' })],
      tree: ['  stage «A» abandoned', '    content "a"'],
    },
    {
      name: 'half a character, completed by the next piece or never',
      frames: [
        dial.stage({ index: 0, name: 'A\ud83d' }, { index: 0, name: '\ude00', content: '\ud83d' }),
        dial.stage({ index: 1, name: 'B', content: 'x\ud83d' }, { index: 0, content: '\ude00!' }),
        dial.stage({ index: 0, status: 'completed' }, { index: 1, status: 'completed' }),
      ],
      tree: [
        '  stage «A😀» completed',
        '    content "😀!"',
        '  stage «B» completed',
        '    content "x\uFFFD"',
      ],
    },
  ])('$name', async ({ frames, tree }) => {
    const [turn, ...below] = (await shown(answer(...frames))).split('\n');
    expect(turn).toBe('turn «gpa» completed');
    expect(below).toEqual(tree);
  });
});

test('an answer in which no stage fits is told in few notices, and opens nothing', async () => {
  const frames = Array.from({ length: 60 }, (_, index) => dial.stage({ index, status: 'completed' }));
  const tree = await grown(answer(...frames));
  expect(tree.steps.size).toBe(2);
  expect(tree.notices).toHaveLength(21);
  expect(tree.notices.at(-1)?.message).toBe('The back end sent 40 more pieces of stages that do not fit.');
});

describe('interleavings', () => {
  test('[R21] the pieces of any stages, in any order and any frames, cut at any byte, give the same tree', async () => {
    const picks = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
    const places = fc.array(fc.nat(), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(anyStages, picks, places, async (stages, order, cuts) => {
        const frames = interleaved(stages, order).map((pieces) => dial.stage(...pieces));
        const bytes = new TextEncoder().encode([dial.role, ...frames, dial.stop, dial.done].join(''));
        const tree = await grown([sse, ...anyCut(bytes, cuts).map((send) => ({ send })), 'end']);
        expect(tree.notices).toEqual([]);
        expect(stagesIn(tree)).toEqual(stages.map(({ shown: expected }) => expected));
      }),
      { numRuns: 200 },
    );
  });
});

const stageTime = { timeout: sized(300_000, 1_800_000) };

test(
  '[R18 R19 R20] any pieces in any order: every stage is closed, and none is there that nobody wrote to',
  stageTime,
  async () => {
    const piece = fc.record(
      {
        index: fc.nat(4),
        name: fc.option(fc.constantFrom('a', '')),
        content: fc.constantFrom('', 'x'),
        attachments: fc.constantFrom([], [{ data: 'd' }]),
        status: fc.constantFrom(null, 'open', 'completed', 'failed', 'odd'),
        parent_stage_index: fc.nat(5),
      },
      { requiredKeys: ['index'] },
    );
    const isMereClose = ({
      name,
      content,
      attachments,
      status,
      parent_stage_index: parent,
    }: Loose): boolean =>
      (status === 'completed' || status === 'failed') &&
      !name &&
      !content &&
      !attachments?.length &&
      parent === undefined;
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
        const tree = await grown(answer(...pieces.map((one) => dial.stage(one))));
        const written = new Set(pieces.filter((one) => !isMereClose(one)).map(({ index }) => String(index)));
        const mirrored = [...tree.steps.values()].filter(({ origin }) => origin !== undefined);
        expect(mirrored.filter(({ origin }) => !written.has(origin ?? ''))).toEqual([]);
        expect(mirrored.filter(({ title }) => title === '')).toEqual([]);
        expect(new Set(mirrored.map(({ key }) => key)).size).toBe(mirrored.length);
        expect(tree.notices.filter(({ code }) => code !== 'UPSTREAM_MALFORMED')).toEqual([]);
        expect(tree.ended?.outcome).toBe('completed');
      }),
      { numRuns: sized(300, 10_000) },
    );
  },
);

interface Loose {
  readonly name?: string | null;
  readonly content?: string;
  readonly attachments?: readonly object[];
  readonly status?: string | null;
  readonly parent_stage_index?: number;
}

describe('an answer that breaks off', () => {
  const begun = [
    dial.role,
    dial.stage({ index: 0, name: 'A' }, { index: 1, name: 'B', status: 'completed' }),
  ];

  test.for<{ name: string; acts: readonly Act[]; failure: string }>([
    { name: 'a reset', acts: ['reset'], failure: 'failed (' },
    { name: 'an end without [DONE]', acts: [{ send: dial.stop }, 'end'], failure: 'without [DONE]' },
    {
      name: 'an error in the stream',
      acts: [{ send: dial.error({ message: 'inner', code: '500', display_message: 'Try later' }) }, 'hang'],
      failure: 'reported an error: Try later. It may have acted on the message all the same.',
    },
  ])('$name fails the turn and closes every stage', async ({ acts, failure }) => {
    const [turn, ...below] = (await shown([sse, ...begun.map((send) => ({ send })), ...acts])).split('\n');
    expect(turn).toContain('turn «gpa» failed (unavailable: ');
    expect(turn).toContain(failure);
    expect(below).toEqual(['  stage «A» failed', '  stage «B» completed']);
  });
});
