import type { Mutant } from '../mutant.ts';

const file = 'src/projections/story.ts';
const test = 'src/projections/story.test.ts';

export const storyMutants: readonly Mutant[] = [
  {
    name: 'the end of a run leaves steps open',
    file,
    find: 'endBelow(story, story.run, { outcome: endBelowOutcome(event), listener });',
    replace: '',
    test,
    only: 'P61',
  },
  {
    name: 'what comes late is told of the run',
    file,
    find: 'if (step) return inStep(story, step, { at, event, listener });',
    replace: 'if (true) return inStep(story, step ?? story.run, { at, event, listener });',
    test,
    only: 'P61',
  },
  {
    name: 'what was planned and never came is forgotten',
    file,
    find: 'else drop(story, id, ending.listener);',
    replace: '',
    test,
    only: 'P62',
  },
  {
    name: 'what a stopped step takes along is told as abandoned',
    file,
    find: "return outcome === 'stopped' ? 'stopped' : 'abandoned';",
    replace: "return outcome === 'stopped' ? 'abandoned' : 'abandoned';",
    test,
    only: 'P63',
  },
  {
    name: 'what a former attempt said stays',
    file,
    find: "isBegun: true, text: '' }",
    replace: 'isBegun: true }',
    test,
    only: 'P64',
  },
  {
    name: 'a protocol that cannot take back is told of attempts',
    file,
    find: 'if (listener.reopens) return',
    replace: 'if (false) return',
    test,
    only: 'P64',
  },
  {
    name: 'a step remembers all it ever opened',
    file,
    find: 'story.steps.get(step.parent)?.below.delete(step.id);',
    replace: '',
    test,
    only: 'P65',
  },
];
