// Puts one mutant in place of the real line, when asked to by the environment.
import { mutants } from './mutants.ts';

export function mutantPlugin(name = process.env['MUTANT']) {
  const mutant = name === undefined ? undefined : mutants.find((candidate) => candidate.name === name);
  if (name !== undefined && !mutant) throw new Error(`There is no mutant «${name}».`);
  return {
    name: 'mutant',
    enforce: 'pre' as const,
    transform(code: string, id: string): string | undefined {
      if (!mutant || !id.split('?')[0]?.endsWith(mutant.file)) return undefined;
      if (!code.includes(mutant.find)) throw new Error(`«${mutant.name}» no longer fits ${mutant.file}.`);
      return code.replace(mutant.find, mutant.replace);
    },
  };
}
