import { test } from 'vitest';
import { overDatabase } from '../database/over-database.ts';
import { seedOf, sized, tell } from '../long.ts';
import { survive } from '../storm/schedules.ts';

const count = sized(300, 10_000);
const met = ['crash', 'freeze', 'cut', 'deaf', 'clock', 'guarded', 'waits', 'idle', 'busy'];

test(`[L3 L4 L5 L6 L7] [Q60 Q65] ${count} schedules over a database with many writers: one writer, nothing lost, nothing twice`, async () => {
  const first = seedOf('engine over a database');
  tell('engine over a database', await survive({ first, count, over: overDatabase, pace: 3, met }));
}, 3_600_000);
