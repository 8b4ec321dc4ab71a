import type { Mutant } from '../mutant.ts';

export const a2uiMutants: readonly Mutant[] = [
  {
    name: 'a surface is come back to without being deleted',
    file: 'src/projections/a2ui/a2ui.ts',
    find: "return [...dialect(run, { type: 'delete' }), ...dialect(run, { type: 'begin', data: surfaceOf(tree) })];",
    replace: "return [...dialect(run, { type: 'begin', data: surfaceOf(tree) })];",
    test: 'test/scenarios/a2ui-clients.test.ts',
    only: 'cut off at any frame',
  },
  {
    name: 'an action decides for another run',
    file: 'src/server/routes/a2ui-actions.ts',
    find: 'if (surfaceId !== run)',
    replace: 'if (surfaceId === undefined)',
    test: 'src/server/routes/a2ui-actions.test.ts',
    only: 'changes nothing',
  },
  {
    name: 'words of a former attempt stay on a surface',
    file: 'src/projections/a2ui/surface-projection.ts',
    find: '  for (const spot of gone) takeBack(scene, spot);',
    replace: '',
    test: 'test/scenarios/a2ui-clients.test.ts',
    only: 'what the tree says',
  },
  {
    name: 'two-stage is read before it is found to be off',
    file: 'src/server/two-stage/routes.ts',
    find: '      if (isTwoStage) expectEnabled();\n      const message = readMessage(body);',
    replace: '      const message = readMessage(body);\n      if (isTwoStage) expectEnabled();',
    test: 'test/scenarios/two-stage-client.test.ts',
    only: '501 comes before 400',
  },
  {
    name: 'text that was taken back is in the full content',
    file: 'src/projections/two-stage/two-stage.ts',
    find: 'fullContent: answerAsSaid(answer, memory.said.text) || memory.said.text,',
    replace: 'fullContent: memory.said.text + answerAsSaid(answer, memory.said.text),',
    test: 'src/projections/two-stage/two-stage.test.ts',
    only: 'tells phases',
  },
  {
    name: 'full lists are sent with every change',
    file: 'src/projections/a2ui/flat-pace.ts',
    find: "!changed.includes('questions') && pace.left < 1;",
    replace: "!changed.includes('questions') && pace.left < 0;",
    test: 'src/projections/a2ui/flat.test.ts',
    only: 'forty at once',
  },
];
