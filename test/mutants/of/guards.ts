import type { Mutant } from '../mutant.ts';

const engine = 'src/engine/hold-back.test.ts';
const guards = 'src/guards/secrets.test.ts';

export const guardMutants: readonly Mutant[] = [
  {
    name: 'nothing is held back',
    file: 'src/engine/writer.ts',
    find: 'this.#holdBack.pass(event);',
    replace: 'this.#record(event);',
    test: engine,
    only: 'K7',
  },
  {
    name: 'one kind of event is forgotten',
    file: 'src/engine/hold-back.ts',
    find: "case 'item.attached':\n",
    replace: '',
    test: engine,
    only: 'each kind of event',
  },
  {
    name: 'what waits is forgotten when its step ends',
    file: 'src/engine/hold-back.ts',
    find: 'this.#end((step) => this.#isWithin(step, event.step));',
    replace: '',
    test: engine,
    only: 'comes whole',
  },
  {
    name: 'what a flow said before a crash is not looked at again',
    file: 'src/engine/writer.ts',
    find: 'if (isRecorded) this.#holdBack.sayAgain(event);',
    replace: 'if (isRecorded) void event;',
    test: engine,
    only: 'K10',
  },
  {
    name: 'what waits goes out as it is when something else comes',
    file: 'src/guards/held-text.ts',
    find: "if (this.#text.length >= crumb) return '';",
    replace: '',
    test: guards,
    only: 'K3',
  },
  {
    name: 'a command waits in the mailbox with its secrets',
    file: 'src/engine/engine.ts',
    find: 'const cleaned = this.#world.secrets.cleanAll(checked.data);',
    replace: 'const cleaned = checked.data;',
    test: engine,
    only: 'K7',
  },
  {
    name: 'large values are kept with their secrets',
    file: 'src/engine/large.ts',
    find: 'const value = execution.world.secrets.cleanAll(given);',
    replace: 'const value = given;',
    test: engine,
    only: 'K7',
  },
  {
    name: 'tools run with what was not recorded',
    file: 'src/engine/call.ts',
    find: 'const input = execution.world.secrets.cleanAll(request.input);',
    replace: 'const { input } = request;',
    test: engine,
    only: 'K9',
  },
  {
    name: 'Base64 passes',
    file: 'src/guards/secret-forms.ts',
    find: ', ...inBase64(new TextEncoder().encode(plain))',
    replace: '',
    test: guards,
    only: 'in Base64 after anything',
  },
  {
    name: 'what a protocol puts together is not looked at',
    file: 'src/server/viewers/source.ts',
    find: 'text += clean(sseTexts(teller.tell(entry)));',
    replace: 'text += sseTexts(teller.tell(entry));',
    test: 'test/scenarios/secrets.test.ts',
    only: 'puts the pieces together',
  },
];
