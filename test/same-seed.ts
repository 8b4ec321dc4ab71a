// `npm test` is the same each time: what chance finds, `npm run test:long` finds, with the seed it prints. SEED repeats one.
import fc from 'fast-check';
import { isLong } from './long.ts';

const given = process.env['SEED'];
if (given !== undefined || !isLong) fc.configureGlobal({ seed: Number(given ?? 1) });
