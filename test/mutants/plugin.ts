// Puts one mutant in place of the real line, when asked to by the environment.
import { resolve } from 'node:path';
import type { VitestPluginContext } from 'vitest/node';
import { isImpatient } from './impatient.ts';
import { marking } from './mark.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';

/** Which one it is may change while Vitest runs. */
export function mutantPlugin() {
  return {
    name: 'mutant',
    enforce: 'pre' as const,
    /** A mutant's code must never be kept for the next run, nor, where processes are, the code it takes the place of. */
    configureVitest({ defineCacheKeyGenerator }: VitestPluginContext): void {
      const files = new Set(isImpatient ? mutants.map(({ file }) => resolve(file)) : []);
      defineCacheKeyGenerator(({ id }) => (mutantIn(id) || files.has(fileOf(id)) ? false : undefined));
    },
    transform(code: string, id: string): string | undefined {
      const mutant = mutantIn(id);
      if (!mutant) return undefined;
      if (!code.includes(mutant.find)) throw new Error(`«${mutant.name}» no longer fits ${mutant.file}.`);
      return marking(mutant.name) + code.replace(mutant.find, mutant.replace);
    },
  };
}

function mutantIn(id: string): Mutant | undefined {
  const name = process.env['MUTANT'];
  if (name === undefined) return undefined;
  const mutant = mutants.find((candidate) => candidate.name === name);
  if (!mutant) throw new Error(`There is no mutant «${name}».`);
  return fileOf(id).endsWith(mutant.file) ? mutant : undefined;
}

function fileOf(id: string): string {
  return id.split('?')[0] ?? id;
}
