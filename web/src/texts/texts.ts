import { setting, useSetting } from '../setting.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export type { Texts } from './en.ts';

export const languages = { en, de } as const satisfies Record<string, Texts>;
export type Language = keyof typeof languages;

const chosen = setting<Language>('language', isGerman(navigator.languages) ? 'de' : 'en', (value) =>
  value === 'de' || value === 'en' ? value : undefined,
);

export const languageSetting = chosen;

/** The sentences of the language that was chosen, or that the browser asks for. */
export function useTexts(): Texts {
  return languages[useSetting(chosen)];
}

/** The language of numbers and times. */
export function useLanguage(): Language {
  return useSetting(chosen);
}

function isGerman([first = 'en']: readonly string[]): boolean {
  return first.toLowerCase().startsWith('de');
}
