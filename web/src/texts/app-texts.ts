import { deApps } from './de-apps.ts';
import { enApps, type AppTexts } from './en-apps.ts';
import { useLanguage, type Language } from './texts.ts';

const languages: Readonly<Record<Language, AppTexts>> = { en: enApps, de: deApps };

/** The sentences of apps in the language that was chosen. */
export function useAppTexts(): AppTexts {
  return languages[useLanguage()];
}
