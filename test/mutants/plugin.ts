// Puts one mutant in place of the real line, when asked to by the environment.
import type { VitestPluginContext } from 'vitest/node';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';

/** Which one it is may change while Vitest runs. */
export function mutantPlugin() {
  return {
    name: 'mutant',
    enforce: 'pre' as const,
    /** A mutant's code must never be kept for the next run. */
    configureVitest({ defineCacheKeyGenerator }: VitestPluginContext): void {
      defineCacheKeyGenerator(({ id }) => (mutantIn(id) ? false : undefined));
    },
    transform(code: string, id: string): string | undefined {
      const mutant = mutantIn(id);
      if (!mutant) return undefined;
      if (!code.includes(mutant.find)) throw new Error(`«${mutant.name}» no longer fits ${mutant.file}.`);
      return code.replace(mutant.find, mutant.replace);
    },
  };
}

function mutantIn(id: string): Mutant | undefined {
  const name = process.env['MUTANT'];
  if (name === undefined) return undefined;
  const mutant = mutants.find((candidate) => candidate.name === name);
  if (!mutant) throw new Error(`There is no mutant «${name}».`);
  return id.split('?')[0]?.endsWith(mutant.file) ? mutant : undefined;
}
