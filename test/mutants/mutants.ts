// Each mutant switches one real line off. The named test must then fail; `npm test` fails if one survives.

export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The test that must catch it: a file, and part of a test's name. */
  readonly test: string;
  readonly only?: string;
}

const simulation = 'test/scenarios/simulation.test.ts';
const viewers = 'src/projections/frames.test.ts';

export const mutants: readonly Mutant[] = [
  {
    name: 'the store takes what a stale writer appends',
    file: 'src/stores/journal-rules.ts',
    find: 'const row = heldBy(desk, fence);\n  expectHead(row, head);',
    replace: 'const row = runOf(desk, fence.run);',
    test: simulation,
  },
  {
    name: 'effects do not wait for the commit',
    file: 'src/engine/run-leaf.ts',
    find: 'await execution.barrier();',
    replace: '',
    test: simulation,
  },
  {
    name: 'a worker acts although its lease is over',
    file: 'src/engine/execution.ts',
    find: 'if (this.isLive && this.world.clock.now() >= this.leaseUntil) this.drop();',
    replace: '',
    test: simulation,
  },
  {
    name: 'a run is parked although a command is pending',
    file: 'src/stores/dispatch-rules.ts',
    find: 'desk.tables.hasPending(row.run)',
    replace: 'false',
    test: simulation,
  },
  {
    name: 'a call in doubt is simply run again',
    file: 'src/engine/doubt.ts',
    find: "if (leaf.effect !== 'once')",
    replace: 'if (true)',
    test: simulation,
  },
  {
    name: 'an append marks commands used whose entries it does not hold',
    file: 'src/engine/writer.ts',
    find: 'this.#uses.filter(({ seq }) => seq <= last);',
    replace: 'this.#uses;',
    test: simulation,
  },
  {
    name: 'the same call is run again',
    file: 'src/policies/duplicate.ts',
    find: 'if (first) return reuse(call, first);',
    replace: '',
    test: 'test/scenarios/loop-court.test.ts',
  },
  {
    name: 'tool calls have no cap',
    file: 'src/policies/budget.ts',
    find: 'if (spent.calls >= limits.calls)',
    replace: 'if (spent.calls < 0)',
    test: 'src/policies/budget.test.ts',
  },
  {
    name: 'a journal that lost its tail is opened',
    file: 'src/stores/sqlite-folder.ts',
    find: "if (typeof mark === 'number' && commits < mark) throw damaged(folder, mark - commits);",
    replace: '',
    test: 'src/stores/sqlite-damage.test.ts',
  },
  {
    name: 'a frame in the middle of an entry carries the cursor',
    file: 'src/projections/frames.ts',
    find: 'i === frames.length - 1',
    replace: 'i === 0',
    test: viewers,
    only: 'carries its number',
  },
  {
    name: 'the frames of an entry are told in another order',
    file: 'src/projections/frames.ts',
    find: 'return frames.map(',
    replace: 'return frames.toReversed().map(',
    test: viewers,
    only: 'one terminal frame',
  },
  {
    name: 'a run ends on the console without a terminal frame',
    file: 'src/projections/console.ts',
    find: "return [...frames, { event: 'done', data: { status } }];",
    replace: 'return frames;',
    test: viewers,
    only: 'one terminal frame',
  },
  {
    name: 'a telling that was kept moves with the one it came from',
    file: 'src/projections/frames.ts',
    find: 'fork: () => from(place),',
    replace: 'fork() { return this; },',
    test: viewers,
    only: 'at every cursor',
  },
  {
    name: 'a state is changed in place',
    file: 'src/projections/step-map.ts',
    find: 'node.values.slice() : []',
    replace: 'node.values : []',
    test: viewers,
    only: 'at every cursor',
  },
  {
    name: 'a preference drops the text of what it does not show',
    file: 'src/projections/preferences.ts',
    find: 'return [shown, atHome(shown, ownCall(shown, event))];',
    replace: 'return [shown, homeOf(shown, event.step) === event.step ? event : undefined];',
    test: 'src/projections/preferences.test.ts',
    only: 'nothing that was said',
  },
  {
    name: 'what an app prefers goes before what its viewer asks for',
    file: 'src/server/preferring.ts',
    find: 'const chosen = { ...app, ...present({ stages: asked.stages, names, depth: asked.depth }) };',
    replace: 'const chosen = { ...present({ stages: asked.stages, names, depth: asked.depth }), ...app };',
    test: 'src/server/preferring.test.ts',
    only: 'win',
  },
  {
    name: 'a coordinator inside another takes the turn that is kept back for the answer',
    file: 'src/flows/coordinate.ts',
    find: 'answers: scope.id === 0 }',
    replace: 'answers: true }',
    test: 'src/flows/coordinate-live.test.ts',
    only: 'turns for the whole tree',
  },
  {
    name: 'the cards of a failed step are left waiting',
    file: 'src/projections/console-steps.ts',
    find: "closeBelow(draft, step.id, closing.outcome === 'stopped' ? 'stopped' : 'abandoned');",
    replace: '',
    test: 'src/projections/console.test.ts',
    only: 'several calls at once',
  },
  {
    name: 'a run is shown to whoever knows its name',
    file: 'src/server/owner.ts',
    find: "if (row?.tenant !== tenantOf(sought)) throw missing('run', run);",
    replace: "if (!row) throw missing('run', run);",
    test: 'test/scenarios/route-walk.test.ts',
    only: 'a handler is not reached',
  },
  {
    name: 'a viewer that takes nothing is written to all the same',
    file: 'src/server/viewers/channel.ts',
    find: "viewer.is = 'stalled';",
    replace: '',
    test: 'src/server/viewers/channels.test.ts',
    only: 'one that stalls',
  },
  {
    name: 'what was kept at hand is given to those who are behind it',
    file: 'src/server/viewers/window.ts',
    find: 'if (!oldest || oldest.first > after + 1) return undefined;',
    replace: 'if (!oldest) return undefined;\n    after = Math.max(after, oldest.first - 1);',
    test: 'src/server/viewers/channels.test.ts',
    only: 'one that stalls',
  },
  {
    name: 'secrets leave the house',
    file: 'src/server/redact.ts',
    find: 'if (clean.includes(form)) clean = clean.replaceAll(form, shown);',
    replace: 'void [form, shown];',
    test: 'test/scenarios/route-walk.test.ts',
    only: 'S35',
  },
];
