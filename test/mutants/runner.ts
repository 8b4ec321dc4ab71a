// A process that runs the tests of mutants: one Vitest for all of them, since starting it takes longer than most tests.
import { resolve } from 'node:path';
import { createVitest, type TestProject } from 'vitest/node';
import { withoutMark } from './mark.ts';
import { mutants } from './mutants.ts';

/** Whose test is to be run, and with which mutant; without one, as the code stands. */
export interface Asked {
  readonly of: string;
  readonly mutant: string | undefined;
}

/** How the test ended. */
export interface Ended {
  readonly passed: number;
  /** What failed, and with which words. */
  readonly failed: readonly string[];
  /** What went wrong beside the tests. */
  readonly errors: readonly string[];
}

let passed = 0;
let failed: string[] = [];
const vitest = await createVitest({
  watch: false,
  bail: 1,
  reporters: [
    {
      onTestCaseResult(test) {
        const { state, errors } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed') failed.push(`${test.fullName}: ${errors?.[0]?.message}`);
      },
    },
  ],
});

process.on('message', ({ of, mutant }: Asked) => void run(of, mutant).then((ended) => process.send?.(ended)));
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run(of: string, mutant: string | undefined): Promise<Ended> {
  const { file, test, only, hangs } = mutants.find(({ name }) => name === of) ?? fail(`no mutant «${of}»`);
  const path = resolve(test);
  const project = vitest.projects.find((some) => some.matchesTestGlob(path)) ?? fail(`no test ${test}`);
  switchTo(mutant, resolve(file));
  project.provide('mutant', { name: mutant, file: resolve(file) });
  expectSoon(project, hangs ?? false);
  passed = 0;
  failed = [];
  const options = only === undefined ? {} : { testNamePattern: literally(only) };
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([
    project.createSpecification(path, options),
  ]);
  switchTo(undefined, resolve(file));
  const errors = [...unhandledErrors, ...testModules.flatMap((module) => module.errors())].map(messageOf);
  vitest.state.clearFiles(project, [path]);
  return { passed, failed: errors.includes(withoutMark) ? [] : failed, errors };
}

/** The plugin looks there, for the file that is read anew. */
function switchTo(mutant: string | undefined, file: string): void {
  if (mutant === undefined) delete process.env['MUTANT'];
  else process.env['MUTANT'] = mutant;
  vitest.invalidateFile(file);
}

/** Milliseconds until a test is given up. */
function expectSoon({ config }: TestProject, hangs: boolean): void {
  config.testTimeout = hangs ? 10_000 : 60_000;
}

/** Names have brackets, which are a set of characters in an expression. */
function literally(part: string): RegExp {
  return new RegExp(part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
}

function messageOf(error: unknown): string {
  return error instanceof Object && 'message' in error ? String(error.message) : String(error);
}

function fail(message: string): never {
  throw new Error(message);
}
