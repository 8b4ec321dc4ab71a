// Puts one mutant in place of the real line, when asked to by the environment.
import type { VitestPluginContext } from 'vitest/node';
import { mutants } from './mutants.ts';

export function mutantPlugin(name = process.env['MUTANT']) {
  const mutant = name === undefined ? undefined : mutants.find((candidate) => candidate.name === name);
  if (name !== undefined && !mutant) throw new Error(`There is no mutant «${name}».`);
  const isIn = (id: string): boolean =>
    mutant !== undefined && (id.split('?')[0]?.endsWith(mutant.file) ?? false);
  return {
    name: 'mutant',
    enforce: 'pre' as const,
    /** A mutant's code must never be kept for the next run. */
    configureVitest({ defineCacheKeyGenerator }: VitestPluginContext): void {
      defineCacheKeyGenerator(({ id }) => (isIn(id) ? false : undefined));
    },
    transform(code: string, id: string): string | undefined {
      if (!mutant || !isIn(id)) return undefined;
      if (!code.includes(mutant.find)) throw new Error(`«${mutant.name}» no longer fits ${mutant.file}.`);
      return code.replace(mutant.find, mutant.replace);
    },
  };
}
