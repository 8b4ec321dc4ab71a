import type { Mutant } from '../mutant.ts';

const rules = 'src/stores/rules/definitions.ts';
const contract = 'src/stores/memory.test.ts';
const front = 'src/front/definitions.test.ts';
const stranded = 'src/engine/recovery/stranded.test.ts';

export const definitionMutants: readonly Mutant[] = [
  {
    name: 'a draft is saved over whatever is there',
    file: rules,
    find: 'if ((draft?.revision ?? 0) === revision) return;',
    replace: 'if (revision >= 0) return;',
    test: contract,
    only: '[Q8',
  },
  {
    name: 'a version takes the place of the one before',
    file: rules,
    find: 'version: (newest?.version ?? 0) + 1,',
    replace: 'version: newest?.version ?? 1,',
    test: contract,
    only: '[Q8',
  },
  {
    name: 'a run does not refer to the definition it began with',
    file: 'src/stores/rules/dispatch.ts',
    find: 'if (wanted.definition !== undefined && !tables.useBlob({ tenant, run }, wanted.definition))',
    replace: 'if (wanted.definition !== undefined && !tenant)',
    test: contract,
    only: '[Q8',
  },
  {
    name: 'what the configuration says can be changed by a tenant',
    file: 'src/front/definitions.ts',
    find: 'if (taken.length === 0) {',
    replace: 'if (taken.length >= 0) {',
    test: front,
  },
  {
    name: 'what the configuration says no more is not archived',
    file: 'src/front/definitions.ts',
    find: 'if (!stays.includes(name))',
    replace: 'if (stays.includes(name) && name === by)',
    test: front,
  },
  {
    name: 'a run reads no definition after a recovery',
    file: 'src/worker/worker.ts',
    find: 'execution.definition ??= await definitionOf(execution);',
    replace: 'await definitionOf(execution);',
    test: stranded,
  },
  {
    name: 'a stranded run is not called so',
    file: 'src/engine/recovery/stranded.ts',
    find: 'flows.some((known) => flowId(known) === flow)',
    replace: 'flows.length > 0',
    test: stranded,
  },
  {
    name: 'nothing is said of what is asked of a stranded run',
    file: 'src/engine/recovery/record-commands.ts',
    find: 'if (!execution.tree.stopping && !world.catalog.isUnread) sayStranded(execution, flow);',
    replace: '',
    test: stranded,
  },
  {
    name: 'a run whose agent is gone fails',
    file: 'src/engine/scope/scope-in.ts',
    find: 'if (writer.fence.epoch === 1) return Promise.reject(gone);',
    replace: 'if (writer.fence.epoch > 0) return Promise.reject(gone);',
    test: stranded,
  },
  {
    name: 'a recorded call of a tool that is gone looks like another one',
    file: 'src/engine/call/call.ts',
    find: 'return call && !tools.some(({ name }) => name === call.tool) ? call.signature : undefined;',
    replace: 'return call && tools.length > 99 ? call.signature : undefined;',
    test: stranded,
  },
  {
    name: 'a server that has no tools has not answered',
    file: 'src/server/compose/tool-servers.ts',
    find: 'if (shelf.tools && shelf.why === undefined) return undefined;',
    replace: 'if (shelf.tools?.length && shelf.why === undefined) return undefined;',
    test: 'src/server/compose/tool-servers.test.ts',
    only: '[DF25]',
  },
  {
    name: 'whoever read no configuration calls runs stranded',
    file: 'src/engine/recovery/stranded.ts',
    find: 'if (isUnread || state',
    replace: 'if (state',
    test: 'src/engine/recovery/stranded.test.ts',
    only: '[DF26]',
  },
  {
    name: 'a member changes what somebody else made',
    file: 'src/front/definitions.ts',
    find: 'if (makers.includes(who)) return;',
    replace: 'if (makers.length > 0) return;',
    test: 'src/front/definitions.test.ts',
    only: '[DF10]',
  },
];
