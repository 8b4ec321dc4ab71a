import { useLanguage, type Language } from './texts.ts';

const en = {
  undo: 'Undo',
  redo: 'Redo',
  saved: (revision: number) => `draft ${revision}, saved`,
  unsaved: 'not saved yet',
  saving: 'saving',
  failed: 'Not saved. It is tried again.',
  refused: 'Not saved.',
  none: (version: number) => `v${version}`,
  conflict: (who: string, when: string) => `${who} has saved another draft, ${when}. Yours is not saved.`,
  theirs: 'Take theirs',
  mine: 'Keep mine',
};
type EditingTexts = typeof en;

const de: EditingTexts = {
  undo: 'Rückgängig',
  redo: 'Wiederholen',
  saved: (revision) => `Entwurf ${revision}, gespeichert`,
  unsaved: 'noch nicht gespeichert',
  saving: 'wird gespeichert',
  failed: 'Nicht gespeichert. Es wird erneut versucht.',
  refused: 'Nicht gespeichert.',
  none: (version) => `v${version}`,
  conflict: (who, when) =>
    `${who} hat einen anderen Entwurf gespeichert, ${when}. Ihrer ist nicht gespeichert.`,
  theirs: 'Den anderen nehmen',
  mine: 'Meinen behalten',
};

const languages: Readonly<Record<Language, EditingTexts>> = { en, de };

/** The sentences of whatever is edited and saved by itself, in the language that was chosen. */
export function useEditingTexts(): EditingTexts {
  return languages[useLanguage()];
}
