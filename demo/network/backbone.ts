import { seededRandom, type SeededRandom } from '../seeded-random.ts';
import { kilometresBetween, sites, spans, type Site } from './geography.ts';
import { generatedServices, type Service } from './services.ts';
import { shortestPath } from './shortest-path.ts';

export interface Router {
  readonly id: string;
  readonly site: string;
  readonly model: string;
  readonly software: string;
}

export interface Link {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: 'FIBRE' | 'SUBSEA' | 'MW';
  readonly kilometres: number;
  readonly gigabits: number;
  readonly status: 'up' | 'degraded' | 'down';
  /** What is wrong, if anything is. */
  readonly cause: string;
  readonly carrier: string;
}

export interface Path {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly role: 'PRIMARY' | 'BACKUP';
  readonly links: readonly string[];
  readonly kilometres: number;
}

export interface Backbone {
  readonly sites: readonly Site[];
  readonly routers: readonly Router[];
  readonly links: readonly Link[];
  readonly paths: readonly Path[];
  readonly services: readonly Service[];
}

/** The link whose fibre was cut this morning: the story of the demo. */
export const cutLink = 'LINK-SYD-MEL-FIBRE-01';

/** The whole network: the same for the same seed. */
export function generatedBackbone(seed: number): Backbone {
  const random = seededRandom(seed);
  const routers = sites.flatMap((site) => routersOf(site, random));
  const links = withTrouble(
    spans.flatMap((span) => linksOf(span, random)),
    random,
  );
  const paths = pairsOf(random).flatMap(([from, to]) => pathsBetween(links, from, to));
  return { sites, routers, links, paths, services: generatedServices(paths, random) };
}

function routersOf({ code, isCapital }: Site, random: SeededRandom): Router[] {
  const models = ['Cisco ASR 9922', 'Juniper MX10008', 'Nokia 7750 SR-14s', 'Cisco 8812'] as const;
  const names = isCapital ? ['CORE-01', 'CORE-02', 'PE-01'] : ['EDGE-01'];
  return names.map((name) => ({
    id: `RTR-${code}-${name}`,
    site: code,
    model: random.pick(models) ?? models[0],
    software: `${random.between(22, 25)}.${random.between(1, 4)}.${random.between(0, 3)}`,
  }));
}

function linksOf({ from, to, kind, count }: (typeof spans)[number], random: SeededRandom): Link[] {
  const [one, other] = [siteOf(from), siteOf(to)];
  const carriers = [
    'own fibre',
    'own fibre',
    'leased from Yarra Fibre',
    'leased from Tasman Cable',
    'railway duct',
  ] as const;
  // No fibre runs straight, and a second one takes a longer way, or one digger would cut both.
  const detour = kind === 'MW' ? 1.02 : 1.18 + random.next() * 0.15;
  return Array.from({ length: count }, (_, i) => ({
    id: `LINK-${from}-${to}-${kind}-${String(i + 1).padStart(2, '0')}`,
    from,
    to,
    kind,
    kilometres: Math.round(kilometresBetween(one, other) * detour * (1 + i * 0.07)),
    gigabits: kind === 'MW' ? 10 : (random.pick([100, 100, 400, 400, 800]) ?? 100),
    status: 'up' as const,
    cause: '',
    carrier: random.pick(carriers) ?? carriers[0],
  }));
}

/** One fibre is cut, and one other link has seen better days. */
function withTrouble(links: readonly Link[], random: SeededRandom): Link[] {
  const weak =
    random.pick(links.filter(({ kind, from }) => kind !== 'FIBRE' && from !== 'PER')) ?? links.at(-1);
  const faults = { FIBRE: 'fibre degradation', SUBSEA: 'subsea fault', MW: 'microwave fade' };
  return links.map((link) => {
    if (link.id === cutLink) return { ...link, status: 'down', cause: 'fibre cut' };
    if (link.id === weak?.id) return { ...link, status: 'degraded', cause: faults[link.kind] };
    return link;
  });
}

/** All capitals with each other, and every other site with two capitals. */
function pairsOf(random: SeededRandom): [string, string][] {
  const capitals = sites.filter(({ isCapital }) => isCapital);
  const between = capitals.flatMap(({ code: from }, i) =>
    capitals.slice(i + 1).map(({ code: to }): [string, string] => [from, to]),
  );
  const regional = sites.filter(({ isCapital }) => !isCapital);
  const outward = regional.flatMap((site) => {
    const nearest = capitals.toSorted(
      (one, other) => kilometresBetween(site, one) - kilometresBetween(site, other),
    );
    const [home, second] = [nearest[0], random.pick(nearest.slice(1, 4))];
    return [home, second].flatMap((capital): [string, string][] =>
      capital ? [[site.code, capital.code]] : [],
    );
  });
  return [...between, ...outward];
}

/** The shortest way, and the shortest of those that share no link with it. */
function pathsBetween(links: readonly Link[], from: string, to: string): Path[] {
  const edges = links.map((link) => ({ id: link.id, from: link.from, to: link.to, cost: link.kilometres }));
  const primary = shortestPath(edges, from, to);
  if (!primary) return [];
  const used = new Set(primary.map(({ id }) => id));
  const backup = shortestPath(
    edges.filter(({ id }) => !used.has(id)),
    from,
    to,
  );
  const path = (role: Path['role'], way: NonNullable<typeof primary>): Path => ({
    id: `MPLS-${from}-${to}-${role}`,
    from,
    to,
    role,
    links: way.map(({ id }) => id),
    kilometres: way.reduce((sum, { cost }) => sum + cost, 0),
  });
  return backup ? [path('PRIMARY', primary), path('BACKUP', backup)] : [path('PRIMARY', primary)];
}

function siteOf(code: string): Site {
  const found = sites.find((site) => site.code === code);
  if (!found) throw new Error(`There is no site ${code}.`);
  return found;
}
