// A process that runs tests of mutants, one file after the other. What is ours is evaluated anew for each, the file of its mutant is read
// anew, and what is not ours is kept.
import type { ModuleRunner } from 'vite/module-runner';
import type { ProvidedContext } from 'vitest';
import { init, runBaseTests, setupEnvironment } from 'vitest/worker';
import { leftovers } from './left.ts';
import { takeMark, withoutMark } from './mark.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Which line is switched off, and in which file; without a name none is. */
    readonly mutant: { readonly name: string | undefined; readonly file: string };
  }
}

type Listener = (message: unknown) => void;

// Tests may put others in their place.
const exit = process.exit.bind(process);
const send = process.send?.bind(process) ?? exit;

let modules: ModuleRunner['evaluatedModules'] | undefined;
let isAsItWas: (() => boolean) | undefined;
/** The file of the mutant before. */
let changed: string | undefined;
const listeners: Listener[] = [];

process.on('disconnect', () => exit());
process.on('message', (message) => listeners.forEach((listener) => listener(message)));
init({
  post: (message) => send(message),
  // The first is told what to run; of the others, who are told modules, only the newest waits for some.
  on: (listener) => void listeners.splice(1, 1, listener),
  off: () => {},
  setup: setupEnvironment,
  onModuleRunner: ({ evaluatedModules }) => {
    modules = evaluatedModules;
    isAsItWas ??= leftovers();
  },
  async runTests(state, traces) {
    const { name, file } = state.providedContext['mutant'] as ProvidedContext['mutant'];
    forget(changed);
    forget(file);
    changed = file;
    takeMark();
    await runBaseTests('run', state, traces);
    send({ isAsItWas: isAsItWas?.() ?? false });
    if (takeMark() !== name) throw new Error(withoutMark);
  },
  collectTests: (state, traces) => runBaseTests('collect', state, traces),
});

/** The code of a file, so that it is asked for again. */
function forget(file: string | undefined): void {
  if (file === undefined) return;
  modules?.getModulesByFile(file)?.forEach((module) => modules?.invalidateModule(module));
}
