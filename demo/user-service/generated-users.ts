import { seededRandom } from '../seeded-random.ts';

export interface NewUser {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string;
  readonly city: string;
  readonly role: string;
  readonly created_at: string;
}

const firstNames =
  'Aisha Alexander Amelia Amir Anna Archie Arjun Ava Ben Charlotte Chloe Daniel David Ella Emily Ethan Eva Fatima Finn Grace ' +
  'Hannah Harper Harry Henry Hugo Isla Jack Jacob James Jasmine Jing John Joshua Kai Kirra Layla Leo Liam Lily Lucas Lucy Maria ' +
  'Mateo Matilda Mei Mia Michael Mila Minh Mohammed Nina Noah Noor Oliver Olivia Oscar Priya Rosa Ruby Ryan Samuel Sarah Sofia ' +
  'Sophie Tara Thomas Toby Uma Violet Wei William Willow Xavier Yara Zac Zoe';
const lastNames =
  'Adams Ahmed Anderson Baker Barker Bell Brown Campbell Chan Chen Clarke Cooper Costa Davies Edwards Evans Farrugia Fernando Foster ' +
  'Garcia Gibson Graham Green Hall Harris Hughes Ibrahim Jackson Johnson Jones Kaur Kelly Khan Kim King Lee Lewis Li Lim Martin ' +
  'Mason McDonald Mitchell Moore Morgan Murphy Nguyen O’Brien Papadopoulos Park Patel Pham Phillips Reid Richardson Roberts Robinson ' +
  'Rossi Ryan Sharma Silva Singh Smith Stewart Sullivan Tan Taylor Thomas Thompson Tran Turner Walker Wang Watson White Williams Wilson ' +
  'Wong Wright Yang Young Zhang';
const cities = [
  ['Sydney', 26],
  ['Melbourne', 25],
  ['Brisbane', 13],
  ['Perth', 11],
  ['Adelaide', 7],
  ['Canberra', 5],
  ['Newcastle', 4],
  ['Hobart', 3],
  ['Townsville', 2],
  ['Darwin', 2],
  ['Cairns', 1],
  ['Alice Springs', 1],
] as const;
const roles = [
  'Network engineer',
  'Field engineer',
  'Service desk',
  'Shift lead',
  'Account manager',
  'Project manager',
  'Data analyst',
  'Software engineer',
  'Finance',
  'People and culture',
] as const;

/** People as a directory has them: the same for the same seed. */
export function generatedUsers(seed: number, count: number): NewUser[] {
  const random = seededRandom(seed);
  const [first, last] = [firstNames.split(' '), lastNames.split(' ')];
  const everyCity = cities.flatMap(([city, share]) => Array.from({ length: share }, () => city));
  const taken = new Map<string, number>();
  return Array.from({ length: count }, () => {
    const first_name = random.pick(first) ?? '';
    const last_name = random.pick(last) ?? '';
    const mailbox = mailboxOf(first_name, last_name);
    const sameName = (taken.get(mailbox) ?? 0) + 1;
    taken.set(mailbox, sameName);
    const day =
      Date.UTC(2019, 0, 1) + random.between(0, 2500) * 86_400_000 + random.between(0, 86_399) * 1000;
    return {
      first_name,
      last_name,
      email: `${mailbox}${sameName === 1 ? '' : sameName}@banksia.example`,
      phone: `0491 57${random.between(0, 9)} ${String(random.between(0, 999)).padStart(3, '0')}`,
      city: random.pick(everyCity) ?? 'Sydney',
      role: random.pick(roles) ?? 'Service desk',
      created_at: new Date(day).toISOString(),
    };
  });
}

/** The part of an address before the @. */
export function mailboxOf(first: string, last: string): string {
  const plain = (name: string): string =>
    name
      .normalize('NFD')
      .replaceAll(/[^\p{L}]/gu, '')
      .toLowerCase();
  return `${plain(first)}.${plain(last)}`;
}
