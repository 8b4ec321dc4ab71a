import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { seededRandom } from '../seeded-random.ts';
import type { Backbone, Router } from './backbone.ts';
import { sites, type Site } from './geography.ts';
import { now } from './telemetry.ts';

/** Something people should know about a site: work that is planned, or what somebody has put up. */
export interface Notice {
  readonly id: string;
  readonly kind: 'planned work' | 'notice';
  readonly site: string;
  readonly text: string;
  /** When, in the words of the site's own clock. */
  readonly when: string;
}

export const NewNotice = z.strictObject({
  site: z.string().min(2).max(40),
  text: z.string().min(3).max(500),
});

/** The notice board of the operations centre. What is put up with the same key is put up once. */
export interface NoticeBoard {
  /** Of one site, or of all; undefined where there is no such site. */
  notices(site?: string): readonly Notice[] | undefined;
  post(notice: z.infer<typeof NewNotice>, key: string): Notice | undefined;
}

export function noticeBoard(records: DatabaseSync, backbone: Backbone, seed: number): NoticeBoard {
  const planned = plannedWork(backbone, seed);
  const insert = records.prepare(
    'INSERT INTO notices (key, site, text, posted_at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING',
  );
  const all = records.prepare('SELECT * FROM notices ORDER BY number');
  const withKey = records.prepare('SELECT * FROM notices WHERE key = ?');
  return {
    notices(wanted) {
      const site = wanted === undefined ? undefined : siteNamed(wanted);
      if (wanted !== undefined && !site) return undefined;
      const up = [...all.all().map(readPosted), ...planned];
      return site ? up.filter((notice) => notice.site === site.name) : up;
    },
    post({ site: wanted, text }, key) {
      const site = siteNamed(wanted);
      if (!site) return undefined;
      insert.run(key, site.name, text, new Date().toISOString());
      return readPosted(withKey.get(key) ?? {});
    },
  };
}

/** A site by its code or by its name. */
function siteNamed(wanted: string): Site | undefined {
  const word = wanted.trim().toLowerCase();
  return sites.find(({ code, name }) => code.toLowerCase() === word || name.toLowerCase() === word);
}

const works = [
  ['replacing a line card', 'traffic is moved away beforehand'],
  ['loading new router software', 'two restarts of about six minutes'],
  ['changing the batteries of the rectifier', 'none; the generator runs meanwhile'],
  ['cleaning and measuring the fibre connectors', 'one link at a time is taken out'],
  ['replacing a fan tray', 'none'],
] as const;

/** In the windows of the maintenance policy: Wednesdays and Sundays, from 01:00 to 05:00. */
function plannedWork({ routers }: Backbone, seed: number): Notice[] {
  const random = seededRandom(seed + 31);
  const windows = [2, 6, 9, 13].map((days) => new Date(now + days * 86_400_000));
  const chosen = random.shuffle(routers).slice(0, 16);
  return chosen.map(({ id, site: code }: Router, i): Notice => {
    const [work, impact] = random.pick(works) ?? works[0];
    const day = random.pick(windows) ?? new Date(now);
    return {
      id: `PW-${String(4100 + i)}`,
      kind: 'planned work',
      site: sites.find((site) => site.code === code)?.name ?? code,
      text: `${id}: ${work}. Impact: ${impact}.`,
      when: `${dayOf(day)}, 01:00 to 05:00`,
    };
  });
}

function dayOf(day: Date): string {
  return day.toLocaleDateString('en-AU', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'Australia/Sydney',
  });
}

function readPosted(row: Readonly<Record<string, unknown>>): Notice {
  return {
    id: `NB-${String(row['number']).padStart(4, '0')}`,
    kind: 'notice',
    site: String(row['site']),
    text: String(row['text']),
    when: `posted ${String(row['posted_at']).slice(0, 16).replace('T', ' ')} UTC`,
  };
}
