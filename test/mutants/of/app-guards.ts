import type { Mutant } from '../mutant.ts';

const contract = 'src/guards/guard-of.test.ts';
const runs = 'src/engine/record/guarded-run.test.ts';

export const appGuardMutants: readonly Mutant[] = [
  {
    name: 'guards of a run hold nothing back',
    file: 'src/engine/record/hold-back.ts',
    find: 'return (this.#guards && guardAt(this.#guards, this.#tree, step)) ?? this.#secrets;',
    replace: 'return this.#secrets;',
    test: runs,
    only: 'GD11',
  },
  {
    name: 'guards of a run forget items',
    file: 'src/engine/record/guarded-event.ts',
    find: 'return changed(event, { item: guardedItem }, clean);',
    replace: 'return event;',
    test: runs,
    only: 'in whatever pieces',
  },
  {
    name: 'what is attached goes on as it was sent',
    file: 'src/flows/pipeline/pipeline.ts',
    find: 'const { attachments } = await attached();',
    replace: 'const { attachments } = input;',
    test: 'src/flows/pipeline/pipeline.test.ts',
    only: 'GD50',
  },
  {
    name: 'what hangs on earlier messages is kept as it was sent',
    file: 'src/front/front.ts',
    find: '(await Promise.all(attachments.map((one) => guardedAttachment(one, clean))))',
    replace: '(await Promise.all(attachments))',
    test: runs,
    only: 'GD50',
  },
  {
    name: 'a guard that fails lets text pass',
    file: 'src/guards/guard-of.ts',
    find: "return isPassing || text === ''",
    replace: 'return isPassing || text',
    test: contract,
    only: 'GD6',
  },
  {
    name: 'what stands before a cut is forgotten',
    file: 'src/guards/held-text.ts',
    find: 'if (this.#guard.looksBack && cut > 0) this.#before = tailOf(text.slice(0, cut), this.#before);',
    replace: '',
    test: contract,
    only: 'GD3',
  },
  {
    name: 'a text is not looked at as it is read',
    file: 'src/guards/folded.ts',
    find: 'if (!anyFolded.test(text) && !anyFolded.test(before)) return found;',
    replace: 'return found;',
    test: contract,
    only: 'GD51',
  },
  {
    name: 'what is seen before a cut is forgotten for what is not',
    file: 'src/guards/folded.ts',
    find: 'return at === text.length - 1 ? read : read + text.charAt(text.length - 1);',
    replace: 'return text.charAt(text.length - 1);',
    test: contract,
    only: 'GD3',
  },
  {
    name: 'a match does not wait for what comes behind it',
    file: 'src/guards/pattern.ts',
    find: 'Math.min(alive ?? Infinity, this.#waiting, half)',
    replace: 'Math.min(alive ?? Infinity, half)',
    test: contract,
    only: 'GD3',
  },
  {
    name: 'searches find what a person typed and guards hide',
    file: 'src/run/facts.ts',
    find: 'const words = [guarded ?? input.text, ...sent].flatMap(textTerms);',
    replace: 'const words = [input.text, ...sent].flatMap(textTerms);',
    test: runs,
    only: 'GD15',
  },
  {
    name: 'guards are forgotten when a run is taken up again',
    file: 'src/worker/worker.ts',
    find: 'execution.guardBy(runGuardsIn(execution.definition, execution.world.secrets));',
    replace:
      'if (execution.isNew) execution.guardBy(runGuardsIn(execution.definition, execution.world.secrets));',
    test: runs,
    only: 'GD13',
  },
  {
    name: 'a file that is too large is refused without a word of how large it may be',
    file: 'src/server/http/answer.ts',
    find: 'refusalOf(inBytes(thrown, taken), hidden)',
    replace: 'refusalOf(taken ? thrown : inBytes(thrown, taken), hidden)',
    test: 'src/server/routes/large-files.test.ts',
    only: '/api/applications/desk/logo',
  },
];
