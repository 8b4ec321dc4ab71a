import { seededRandom } from '../seeded-random.ts';

export interface Engineer {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
}

const firstNames = 'Aroha Ben Dina Jarrah Kim Leila Marco Niamh Ravi Tess'.split(' ');
const lastNames = 'Abbott Delaney Hassan Ito Mazur Novak Quinn Rao Sato Vella'.split(' ');

/** Whoever is on call near a site in a week; this one unless said. The same for the same seed. */
export function engineerNear(code: string, seed: number, week = 0): Engineer {
  const random = seededRandom(
    seed + week * 7919 + Buffer.from(code).reduce((sum, byte) => sum * 31 + byte, 7),
  );
  const first = random.pick(firstNames) ?? 'Kim';
  const last = random.pick(lastNames) ?? 'Ito';
  return {
    name: `${first} ${last}`,
    email: `${first}.${last}@field.banksia.example`.toLowerCase(),
    phone: `0491 57${random.between(0, 9)} ${String(random.between(0, 999)).padStart(3, '0')}`,
  };
}
