import { seededRandom, type SeededRandom } from '../seeded-random.ts';
import type { Link } from './backbone.ts';

export interface Ticket {
  readonly id: string;
  readonly opened: string;
  readonly hours: number;
  readonly severity: 1 | 2 | 3;
  readonly link: string;
  readonly site: string;
  readonly cause: string;
  readonly summary: string;
  readonly resolution: string;
}

interface Cause {
  readonly cause: string;
  readonly kinds: readonly Link['kind'][];
  readonly hours: readonly [number, number];
  /** What happened, and what was done about it. */
  readonly stories: readonly (readonly [string, string])[];
  /** Whether there is a spot on the way where it happened. */
  readonly hasSpot: boolean;
}

const anywhere = ['FIBRE', 'SUBSEA', 'MW'] as const;

const causes: readonly Cause[] = [
  {
    cause: 'fibre cut',
    kinds: ['FIBRE'],
    hours: [4, 19],
    hasSpot: true,
    stories: [
      [
        'An excavator cut the cable during road works',
        'Both ends were spliced on site and the link was measured before traffic went back.',
      ],
      [
        'A landslide tore the duct open after heavy rain',
        'A temporary cable was laid along the road; the duct was rebuilt a week later.',
      ],
      [
        'A bushfire destroyed a splice housing beside the highway',
        'The housing was replaced when the fire service let the crew in.',
      ],
      [
        'Thieves cut the cable for copper and found glass',
        'The field crew spliced 48 fibres during the night.',
      ],
    ],
  },
  {
    cause: 'subsea fault',
    kinds: ['SUBSEA'],
    hours: [70, 420],
    hasSpot: true,
    stories: [
      [
        'A ship dragged its anchor over the cable',
        'The cable ship lifted the section and replaced two kilometres.',
      ],
      [
        'A repeater drew too much current and was switched off by its protection',
        'The repeater was bypassed and the system was balanced again.',
      ],
    ],
  },
  {
    cause: 'microwave fade',
    kinds: ['MW'],
    hours: [1, 9],
    hasSpot: false,
    stories: [
      [
        'Heavy rain brought the signal below the threshold',
        'The signal came back with the weather; the modulation was lowered for the season.',
      ],
      ['The antenna was out of line after a cyclone', 'The antenna was aligned and its mount was replaced.'],
    ],
  },
  {
    cause: 'congestion',
    kinds: anywhere,
    hours: [1, 6],
    hasSpot: false,
    stories: [
      [
        'A football final filled the link above 95 percent',
        'Traffic was moved by a change of metrics until the peak had passed.',
      ],
      ['The update of a game filled the evening peak', 'Bulk traffic was limited until midnight.'],
    ],
  },
  {
    cause: 'power failure',
    kinds: anywhere,
    hours: [2, 14],
    hasSpot: false,
    stories: [
      [
        'Mains failed at the site and the generator did not start',
        'A mobile generator carried the site until mains came back.',
      ],
      [
        'A battery string gave out during a test of the generator',
        'The batteries were replaced and the test is now made in the maintenance window.',
      ],
    ],
  },
  {
    cause: 'router failure',
    kinds: anywhere,
    hours: [1, 8],
    hasSpot: false,
    stories: [
      [
        'A line card stopped forwarding after an update',
        'The line card was replaced from the spares of the site.',
      ],
      [
        'The router restarted when its routing table ran out of memory',
        'The software was taken back to the version before.',
      ],
    ],
  },
];

/** Two years of tickets about the links there are: the same for the same seed. */
export function generatedTickets(links: readonly Link[], seed: number, count = 160): Ticket[] {
  const random = seededRandom(seed + 77);
  const days = Array.from({ length: count }, () => random.between(0, 730)).sort((one, other) => one - other);
  return days.map((day, i) => ticketOf(Date.UTC(2024, 10, 10) + day * 86_400_000, i, { links, random }));
}

function ticketOf(
  day: number,
  place: number,
  { links, random }: { readonly links: readonly Link[]; readonly random: SeededRandom },
): Ticket {
  const link = random.pick(links) ?? links[0];
  if (!link) throw new Error('Tickets need links.');
  const { cause, hours, stories, hasSpot } = causeFor(link, random);
  const [happened, resolution] = random.pick(stories) ?? ['', ''];
  const opened = new Date(day + random.between(0, 86_399) * 1000);
  const from = random.pick([link.from, link.to]) ?? link.from;
  return {
    id: `INC-${opened.getUTCFullYear()}-${String(1000 + place * 7).padStart(5, '0')}`,
    opened: opened.toISOString(),
    hours: random.between(...hours) + random.between(0, 9) / 10,
    severity: random.pick([1, 2, 2, 3, 3, 3]) ?? 3,
    link: link.id,
    site: from,
    cause,
    summary: `${happened}${hasSpot ? `, ${random.between(3, Math.floor(link.kilometres / 2))} km from ${from}` : ` at ${from}`}.`,
    resolution,
  };
}

function causeFor({ kind }: Link, random: SeededRandom): Cause {
  const [own, ...rest] = causes.filter(({ kinds }) => kinds.includes(kind));
  // Half of what happens to a link is what its kind suffers from.
  const found = random.next() < 0.5 ? own : random.pick(rest);
  if (!found) throw new Error(`There is no cause for ${kind}.`);
  return found;
}
