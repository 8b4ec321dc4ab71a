import { seededRandom } from '../seeded-random.ts';
import { cutLink, type Link } from './backbone.ts';

export interface Sample {
  readonly link: string;
  readonly at: string;
  readonly utilisation_percent: number;
  readonly latency_ms: number;
  readonly loss_percent: number;
  readonly optical_dbm: number;
}

/** The clock of the demo stands still: it is a quarter to eight in Sydney, 47 minutes after the cut. */
export const now = Date.UTC(2026, 10, 15, 20, 45);
const cutAt = now - 47 * 60_000;
const step = 5 * 60_000;
const perDay = 288;

/** A day of measurements of a link, one every five minutes: the same for the same seed. */
export function generatedSamples(links: readonly Link[], seed: number): Sample[] {
  return links.flatMap((link, i) => {
    const random = seededRandom(seed * 1000 + i);
    const usual = random.between(22, 58);
    return Array.from({ length: perDay }, (_, place) => {
      const time = now - (perDay - 1 - place) * step;
      return sampleOf(link, time, { usual, noise: () => random.next() - 0.5 });
    });
  });
}

interface Habits {
  readonly usual: number;
  readonly noise: () => number;
}

function sampleOf(link: Link, time: number, { usual, noise }: Habits): Sample {
  const isCut = link.status === 'down' && time >= cutAt;
  const isDetour = isDetourOf(link) && time >= cutAt;
  // Sydney is eleven hours ahead in November, and its evening is when everybody watches films.
  const hour = (time / 3_600_000 + 11) % 24;
  const daily = 14 * Math.sin(((hour - 15) / 24) * 2 * Math.PI);
  const wavering = [noise(), noise(), noise(), noise()] as const;
  const load = isCut ? 0 : clamp(usual + daily + wavering[0] * 6 + (isDetour ? 62 : 0), 2, 97);
  const loss = isCut
    ? 100
    : link.status === 'degraded'
      ? 2.5 + wavering[1] * 3
      : isDetour
        ? 0.6 + wavering[1] * 0.5
        : Math.max(0, wavering[1] * 0.04);
  const queueing = load > 85 ? (load - 85) * 0.6 : 0;
  const latency = isCut ? 0 : link.kilometres / 200 + 0.8 + queueing + Math.abs(wavering[2]) * 0.4;
  const optical = isCut
    ? -40
    : (link.status === 'degraded' ? -21 : -9) - link.kilometres / 2000 + wavering[3] * 0.8;
  return {
    link: link.id,
    at: new Date(time).toISOString(),
    utilisation_percent: rounded(load),
    latency_ms: rounded(latency),
    loss_percent: rounded(loss),
    optical_dbm: rounded(optical),
  };
}

/** What the cut link carried goes over the fibre beside it. */
function isDetourOf({ id }: Link): boolean {
  return id !== cutLink && id.startsWith(cutLink.replace(/\d+$/, ''));
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
