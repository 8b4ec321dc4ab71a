import type { Mutant } from '../mutant.ts';

export const pipelineMutants: readonly Mutant[] = [
  {
    name: 'a planner that is down takes the answer away',
    file: 'src/flows/pipeline.ts',
    find: "return { is: 'fallback', message: 'I could not work out how to answer this now.', reasoning: '' };",
    replace: 'throw thrown;',
    test: 'src/flows/pipeline.test.ts',
    only: 'the planner: the plain fallback',
  },
  {
    name: 'history goes to models as it was typed',
    file: 'src/flows/pipeline.ts',
    find: "text: means.checks.check(exchange.text, 'input').text",
    replace: 'text: exchange.text',
    test: 'src/flows/pipeline.test.ts',
    only: 'no model, agent or later run gets what was redacted',
  },
  {
    name: 'what the planner writes is not guarded',
    file: 'src/flows/pipeline.ts',
    find: "const checked = (words: string): string => means.checks.check(words, 'output').text;",
    replace: 'const checked = (words: string): string => words;',
    test: 'src/flows/pipeline.test.ts',
    only: 'what a planner writes itself is guarded too',
  },
  {
    name: 'an app is there for those it does not name',
    file: 'src/server/apps/access.ts',
    find: 'return access === undefined || access.everyone || access.people.includes(who);',
    replace: 'return access === undefined || access.people.length >= who.length * 0;',
    test: 'src/server/applications/routes.test.ts',
    only: 'an application is 404',
  },
  {
    name: 'a session is anybody’s',
    file: 'src/server/applications/sessions.ts',
    find: 'return app === asking.app && facts.labels[ownerLabel] === asking.caller.who;',
    replace: 'return app === asking.app && facts.labels[ownerLabel] !== undefined;',
    test: 'test/scenarios/applications.test.ts',
    only: 'two people of one application share nothing',
  },
  {
    name: 'groups of a plan are compared as texts',
    file: 'src/flows/pipeline-plan.ts',
    find: 'filter((group) => group < own)',
    replace: 'filter((group) => String(group) < String(own))',
    test: 'src/flows/pipeline.test.ts',
    only: 'groups of a parallel plan follow each other',
  },
];
