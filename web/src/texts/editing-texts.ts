import { useLanguage, type Language } from './texts.ts';

const en = {
  undo: 'Undo',
  redo: 'Redo',
  saved: (revision: number) => `draft ${revision}, saved`,
  unsaved: 'not saved yet',
  saving: 'saving',
  failed: 'Not saved. It is tried again.',
  refused: 'Not saved.',
  conflict: (who: string, when: string) => `${who} has saved another draft, ${when}. Yours is not saved.`,
  theirs: 'Take theirs',
  mine: 'Keep mine',
  leave: {
    title: 'Not saved',
    lost: 'What you have changed is not saved. It is lost if you leave now.',
    stay: 'Stay',
    go: 'Leave without saving',
  },
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
  conflict: (who, when) =>
    `${who} hat einen anderen Entwurf gespeichert, ${when}. Ihrer ist nicht gespeichert.`,
  theirs: 'Den anderen nehmen',
  mine: 'Meinen behalten',
  leave: {
    title: 'Nicht gespeichert',
    lost: 'Was Sie geändert haben, ist nicht gespeichert. Es geht verloren, wenn Sie jetzt gehen.',
    stay: 'Bleiben',
    go: 'Gehen, ohne zu speichern',
  },
};

const languages: Readonly<Record<Language, EditingTexts>> = { en, de };

/** The sentences of whatever is edited and saved by itself, in the language that was chosen. */
export function useEditingTexts(): EditingTexts {
  return languages[useLanguage()];
}
