import type { Language } from './texts/texts.ts';

/** Numbers and times as people read them. */
export interface Format {
  /** `4.2 s`, `1 min 12 s`, `2 h`. */
  readonly duration: (milliseconds: number) => string;
  /** What is left: `14:56`. */
  readonly countdown: (milliseconds: number) => string;
  readonly count: (value: number) => string;
  /** In the money that the prices are written in. */
  readonly cost: (value: number) => string;
  /** `6.7k`. */
  readonly short: (value: number) => string;
  readonly bytes: (value: number) => string;
  /** `20:51`. */
  readonly clock: (at: number) => string;
  /** How long ago, for lists: `now`, `4 min`, `2 h`, `Sun`. */
  readonly since: (at: number, now: number) => string;
  readonly dateTime: (at: number) => string;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const made = new Map<Language, Format>();

export function formatIn(language: Language): Format {
  const format = made.get(language) ?? makeFormat(language);
  made.set(language, format);
  return format;
}

function makeFormat(language: Language): Format {
  const locale = language === 'en' ? 'en-GB' : 'de-DE';
  const numbers = new Intl.NumberFormat(locale);
  const one = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const costs = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 2,
    maximumSignificantDigits: 3,
    roundingPriority: 'morePrecision',
  });
  const compact = new Intl.NumberFormat(language === 'en' ? 'en' : 'de', {
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' });
  const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const whole = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  return {
    duration(ms) {
      if (ms < 50) return '0 s';
      if (ms < minute) return `${one.format(ms / second)} s`;
      if (ms < hour)
        return together([Math.floor(ms / minute), 'min'], [Math.floor((ms % minute) / second), 's']);
      if (ms < day) return together([Math.floor(ms / hour), 'h'], [Math.floor((ms % hour) / minute), 'min']);
      return together([Math.floor(ms / day), 'd'], [Math.floor((ms % day) / hour), 'h']);
    },
    countdown(ms) {
      const seconds = Math.max(0, Math.floor(ms / second));
      if (seconds >= 3_600)
        return together([Math.floor(seconds / 3_600), 'h'], [Math.floor((seconds % 3_600) / 60), 'min']);
      return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    },
    count: (value) => numbers.format(value),
    cost: (value) => costs.format(value),
    short: (value) => compact.format(value).replace('K', 'k'),
    bytes(value) {
      if (value < 1_000) return `${value} B`;
      return value < 1_000_000 ? `${one.format(value / 1_000)} kB` : `${one.format(value / 1_000_000)} MB`;
    },
    clock: (at) => time.format(at),
    since(at, now) {
      const ago = Math.max(0, now - at);
      if (ago < minute) return language === 'en' ? 'now' : 'jetzt';
      if (ago < hour) return `${Math.floor(ago / minute)} min`;
      if (ago < 12 * hour) return `${Math.floor(ago / hour)} h`;
      return ago < 6 * day ? weekday.format(at) : date.format(at);
    },
    dateTime: (at) => whole.format(at),
  };
}

type Part = readonly [many: number, unit: string];

function together([many, unit]: Part, [rest, small]: Part): string {
  return rest === 0 ? `${many} ${unit}` : `${many} ${unit} ${rest} ${small}`;
}
