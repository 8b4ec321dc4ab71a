// `npm test` is the same each time: what chance finds, `npm run test:long` finds, with the seed it prints. SEED repeats one.
import fc from 'fast-check';
import { isLong } from './long.ts';
import { isImpatient } from './mutants/impatient.ts';

const given = process.env['SEED'];
// Of a mutant it is enough to know that it is caught: the smallest case that shows it may take a minute to find.
fc.configureGlobal({
  endOnFailure: isImpatient,
  ...(given !== undefined || !isLong ? { seed: Number(given ?? 1) } : {}),
});
