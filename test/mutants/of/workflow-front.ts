import type { Mutant } from '../mutant.ts';

const scheduler = 'src/server/workflows/scheduler.ts';
const times = 'src/server/workflows/scheduler.test.ts';

export const workflowFrontMutants: readonly Mutant[] = [
  {
    name: 'the clock starts what somebody published who has no key any more',
    file: 'src/server/workflows/keep-schedules.ts',
    find: 'await expectThere(context, caller);',
    replace: '',
    test: 'src/server/workflows/schedule-routes.test.ts',
    only: '[WR24]',
  },
  {
    name: 'a workflow that people make says itself what it may use',
    file: 'src/server/workflows/workflow-app.ts',
    find: 'return atMost(ceilingOf(nameable, tenant) ?? {}, wanted);',
    replace: 'return wanted;',
    test: 'src/server/workflows/ceiling.test.ts',
    only: '[WR33]',
  },
  {
    name: 'an application that people make has no limits',
    file: 'src/server/compose/app-definitions.ts',
    find: 'limits: atMost(allowed, limits),',
    replace: 'limits,',
    test: 'src/server/workflows/ceiling.test.ts',
    only: '[PL36]',
  },
  {
    name: 'a due time is not the key of its run',
    file: scheduler,
    find: 'const key = JSON.stringify([workflow, id, due]);',
    replace: 'const key = JSON.stringify([workflow, id, due, performance.now()]);',
    test: times,
    only: '[WR22]',
  },
  {
    name: 'what was due is forgotten once its run is erased',
    file: scheduler,
    find: 'return { until: Math.max(until, due) };',
    replace: 'return { until: Math.min(until, due) };',
    test: times,
    only: '[WR21]',
  },
  {
    name: 'a run that failed goes on as often as it is asked to',
    file: 'src/server/workflows/go-on.ts',
    find: "idempotencyKey: sameAgain('go-on', row.run),",
    replace: '',
    test: 'src/server/workflows/run-routes.test.ts',
    only: '[WR40]',
  },
  {
    name: 'what was cut off is done again where a run goes on',
    file: 'src/flows/workflow/anew.ts',
    find: 'if (!last || isCutOff(last) || !mayBeDoneAgain(last)) return;',
    replace: 'if (!last) return;',
    test: 'src/flows/workflow/anew.test.ts',
    only: 'cut off and happens once',
  },
  {
    name: 'a workflow with problems is published',
    file: 'src/server/workflows/workflow-problems.ts',
    find: 'if (problems.length > 0) throw misfit(name, problems);',
    replace: 'if (problems.length < 0) throw misfit(name, problems);',
    test: 'src/server/workflows/definition-routes.test.ts',
    only: '[WR2]',
  },
  {
    name: 'a draft is thrown away whatever was saved meanwhile',
    file: 'src/stores/rules/definitions.ts',
    find: 'if (wanted.draft) expectRevision(key, known.find(isDraft), wanted.draft.revision);',
    replace: 'if (wanted.draft) known.find(isDraft);',
    test: 'src/stores/memory.test.ts',
    only: '[Q85]',
  },
];
