import type { AppBody, AppSkill } from '../../../../src/wire/native/app-body.ts';

/** What changes an application: pure, so that it can be taken back. */
export type AppEdit = (app: AppBody) => AppBody;

type Settings = AppBody['settings'];

/** Some fields of one part of the settings are others. */
export function withPart<P extends Exclude<keyof Settings, 'skills'>>(
  part: P,
  change: Partial<Settings[P]>,
): AppEdit {
  return (app) => ({
    ...app,
    settings: { ...app.settings, [part]: { ...app.settings[part], ...change } },
  });
}

export function withDescription(description: string): AppEdit {
  return (app) => ({ ...app, description });
}

function withSkills(change: (skills: Settings['skills']) => Settings['skills']): AppEdit {
  return (app) => ({ ...app, settings: { ...app.settings, skills: change(app.settings.skills) } });
}

export function withSkill(skill: Pick<AppSkill, 'name' | 'type' | 'description'>): AppEdit {
  return withSkills((skills) => [...skills, { ...skill, passages: true }]);
}

export function withoutSkill(index: number): AppEdit {
  return withSkills((skills) => skills.toSpliced(index, 1));
}

export function withSkillChanged(index: number, change: Partial<AppSkill>): AppEdit {
  return withSkills((skills) => skills.map((skill, i) => (i === index ? { ...skill, ...change } : skill)));
}

/** As it is saved: lines that were begun and are empty yet are nothing, and so are fields that were emptied. */
export function keptApp({ description, settings, guards }: AppBody): AppBody {
  const { persona, chat, access } = settings;
  const { designations, businessUnits, tags } = persona;
  return {
    description,
    guards,
    settings: {
      ...settings,
      skills: settings.skills.map((skill) => ({ ...skill, title: skill.title || undefined })),
      persona: {
        ...persona,
        text: persona.text || undefined,
        designations: written(designations),
        businessUnits: written(businessUnits),
        tags: written(tags),
      },
      chat: {
        ...chat,
        welcome: chat.welcome || undefined,
        disclaimer: chat.disclaimer || undefined,
        sorry: chat.sorry || undefined,
        starters: written(chat.starters),
      },
      access: { ...access, people: written(access.people) },
    },
  };
}

function written(texts: readonly string[]): string[] {
  return texts.filter((text) => text.trim() !== '');
}
