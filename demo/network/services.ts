import type { SeededRandom } from '../seeded-random.ts';
import type { Path } from './backbone.ts';

/** Something customers buy. It runs over a primary path and, if they paid for it, over a backup. */
export interface Service {
  readonly id: string;
  readonly name: string;
  readonly customer: string;
  readonly kind: string;
  readonly priority: 'gold' | 'silver' | 'bronze';
  /** People who notice when it is gone. */
  readonly people: number;
  readonly primary: string;
  readonly backup: string | null;
}

const kinds = [
  {
    kind: 'Emergency calls',
    short: 'EMERG',
    priority: 'gold',
    people: [40_000, 900_000],
    customers: ['Triple Zero Relay', 'State Ambulance'],
  },
  {
    kind: 'Hospital network',
    short: 'HLTH',
    priority: 'gold',
    people: [2000, 60_000],
    customers: ['Wattle Health', 'St Brigid Hospitals', 'Coral Coast Health'],
  },
  {
    kind: 'Payments',
    short: 'PAY',
    priority: 'gold',
    people: [80_000, 1_500_000],
    customers: ['Coastal Mutual Bank', 'Jacaranda Pay'],
  },
  {
    kind: 'Mobile backhaul',
    short: 'MOB',
    priority: 'silver',
    people: [30_000, 700_000],
    customers: ['Kookaburra Mobile', 'Southern Cell'],
  },
  {
    kind: 'Enterprise VPN',
    short: 'VPN',
    priority: 'silver',
    people: [200, 9000],
    customers: ['Ironbark Mining', 'Murray Grain', 'Federation Insurance', 'Opal Logistics'],
  },
  {
    kind: 'Research network',
    short: 'RES',
    priority: 'silver',
    people: [5000, 60_000],
    customers: ['Acacia University', 'Tasman Polar Institute'],
  },
  {
    kind: 'Broadcast feed',
    short: 'TV',
    priority: 'silver',
    people: [100_000, 2_000_000],
    customers: ['Channel Eleven', 'Outback Radio'],
  },
  {
    kind: 'Broadband',
    short: 'BB',
    priority: 'bronze',
    people: [4000, 120_000],
    customers: ['Gumtree Broadband', 'Bluestone Internet'],
  },
] as const;

/** Services over the paths there are; bronze ones have no backup. */
export function generatedServices(paths: readonly Path[], random: SeededRandom): Service[] {
  const primaries = paths.filter(({ role }) => role === 'PRIMARY');
  return primaries.flatMap((primary) =>
    random
      .shuffle(kinds)
      .slice(0, random.between(1, 3))
      .map(({ kind, short, priority, people: [low, high], customers }) => {
        const backup = paths.find(
          ({ role, from, to }) => role === 'BACKUP' && from === primary.from && to === primary.to,
        );
        const isProtected = priority === 'gold' || (priority === 'silver' && random.next() < 0.7);
        const customer = random.pick(customers) ?? customers[0];
        return {
          id: `SVC-${short}-${primary.from}-${primary.to}`,
          name: `${customer} ${primary.from}–${primary.to}`,
          customer,
          kind,
          priority,
          people: Math.round(random.between(low, high) / 100) * 100,
          primary: primary.id,
          backup: isProtected && backup ? backup.id : null,
        };
      }),
  );
}
