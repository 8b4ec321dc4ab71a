import { pipelineVersion } from '../../flows/pipeline/pipeline.ts';
import { personas } from '../../flows/pipeline/personas.ts';
import { missingIn, PipelineSettings, skillTitle } from '../../flows/pipeline/settings.ts';
import { AppGuards, type GuardSettings } from '../../guards/guard-settings.ts';
import type { Definition } from '../../run/definition.ts';
import { RunError } from '../../run/failure.ts';
import { placeIn, readAs, type Json } from '../../run/values.ts';
import type { Application, ApplicationChange } from '../../wire/applications.ts';
import { appBody } from '../compose/app-definitions.ts';
import { present } from '../../run/tree.ts';

/** What an application is here: the settings of its flow, and what it lets pass. */
export interface ApplicationBody {
  readonly description: string;
  readonly settings: PipelineSettings;
  readonly guards: AppGuards;
  /** What only a configuration says of an app, such as its limits: it stays as it is. */
  readonly others: object;
}

export const newBody: ApplicationBody = {
  description: '',
  settings: PipelineSettings.parse({}),
  guards: AppGuards.parse({}),
  others: {},
};

/** What a definition says, where it is an application; undefined for apps of other flows. */
export function bodyOf(body: Json, name: string): ApplicationBody | undefined {
  const { flow, description = '', settings = {}, guards = {}, examples: _, ...others } = appBody(body, name);
  if (flow.name !== 'pipeline') return undefined;
  const said = PipelineSettings.parse(settings);
  return { description, settings: said, guards: AppGuards.parse(guards), others };
}

/** As it is kept. */
export function keptBody({ description, settings, guards, others }: ApplicationBody): object {
  const flow = { name: 'pipeline', version: pipelineVersion };
  const { starters } = settings.chat;
  return {
    ...others,
    flow,
    settings,
    guards,
    ...present({ description: description || undefined }),
    examples: starters,
  };
}

const roles = { orchestrator: 'planner', enhancer: 'enhancer', general: 'general' } as const;

/** An application with what somebody changes of it. What they do not name, or say null of, stays. */
export function changed(body: ApplicationBody, change: ApplicationChange): ApplicationBody {
  const { settings } = body;
  const { chat, persona, retrieval, access } = settings;
  const links = change.llm_links?.map(({ llm_id, role }) => [roles[role], llm_id] as const);
  return {
    others: body.others,
    description: change.description ?? body.description,
    guards: guardsOf(body.guards, change),
    settings: readSettings({
      models: links ? Object.fromEntries(links) : settings.models,
      skills: change.skill_links?.map(skillOf) ?? settings.skills,
      persona: {
        ...persona,
        ...present({
          preset: change.persona_id ?? undefined,
          text: change.persona_text ?? undefined,
          designations: change.designation_ids ?? undefined,
          businessUnits: change.business_unit_ids ?? undefined,
          tags: change.tag_ids ?? undefined,
        }),
      },
      retrieval: {
        ...retrieval,
        ...present({
          tools: change.data_source_ids ?? undefined,
          uploads: change.upload_enabled ?? undefined,
        }),
      },
      chat: {
        ...chat,
        ...present({
          name: change.name ?? undefined,
          welcome: change.welcome_prompt ?? undefined,
          disclaimer: change.disclaimer ?? undefined,
          sorry: change.sorry_message ?? undefined,
          starters: change.starter_questions ?? undefined,
        }),
      },
      access: {
        ...access,
        ...present({
          everyone: change.available_for_all_users ?? undefined,
          people: change.people ?? undefined,
        }),
      },
    }),
  };
}

function readSettings(settings: object): PipelineSettings {
  const read = readAs(PipelineSettings, settings);
  if (read.fits) return read.value;
  const [{ path, message }] = read.wrong;
  throw new RunError('malformed', `The application does not fit: ${placeIn(path)}: ${message}.`);
}

function skillOf(link: NonNullable<ApplicationChange['skill_links']>[number]): object {
  const { skill_id: name, skill_type: type, skill_name: title, skill_description: description } = link;
  return { name, type, ...present({ title: title ?? undefined, description: description ?? undefined }) };
}

const categories = ['compliance', 'pii', 'safety'] as const;

/** Guards by their categories and rules: they block what people send and hide it in answers. */
function guardsOf(guards: AppGuards, change: ApplicationChange): AppGuards {
  const { guardrail_category_ids: wanted, guardrail_text: text, guardrail_covers: covers } = change;
  if (wanted == null && text == null) return covers == null ? guards : { ...guards, covers };
  const stranger = wanted?.find((id) => !categories.some((known) => known === id.toLowerCase()));
  if (stranger !== undefined)
    throw new RunError(
      'malformed',
      `The application does not fit: guardrail_category_ids: there is no «${stranger}»; known: ${categories.join(', ')}.`,
    );
  const named = wanted?.map((id) => id.toLowerCase()) ?? categoriesIn(guards);
  const rules = text ?? rulesIn(guards);
  const others = guards.output.filter(({ guard }) => guard === 'judge');
  const list = [
    ...named.map((guard) => ({ guard })),
    ...(rules.trim() === '' ? [] : [{ guard: 'rules', text: rules }]),
    ...others,
  ];
  const made = readAs(AppGuards, { input: list, output: list, covers: covers ?? guards.covers });
  if (made.fits) return made.value;
  const [{ message }] = made.wrong;
  throw new RunError('malformed', `The application does not fit: guardrail_text: ${message}.`);
}

function categoriesIn({ input, output }: AppGuards): string[] {
  const named = [...input, ...output].map(({ guard }) => guard);
  return categories.filter((category) => named.includes(category));
}

function rulesIn({ input, output }: AppGuards): string {
  const isRules = (each: GuardSettings): each is Extract<GuardSettings, { guard: 'rules' }> =>
    each.guard === 'rules';
  return [...input, ...output].find(isRules)?.text ?? '';
}

export interface Standing {
  readonly definition: Pick<Definition, 'name' | 'by' | 'at'>;
  readonly isPublished: boolean;
  /** Why it cannot be run now. */
  readonly problem: string | undefined;
}

/** An application as the platform's clients read it. */
export function applicationOf(body: ApplicationBody, standing: Standing): Application {
  const { definition, isPublished, problem } = standing;
  const { models, skills, persona, retrieval, chat, access } = body.settings;
  const links = Object.entries(roles).flatMap(([role, field]) => {
    const id = models[field];
    return id === undefined ? [] : [{ llm_id: id, role }];
  });
  return {
    application_id: definition.name,
    user_id: definition.by,
    name: chat.name ?? definition.name,
    description: body.description,
    status: problem !== undefined ? 'error' : isPublished ? 'published' : 'draft',
    error_message: problem ?? null,
    available_for_all_users: access.everyone,
    people: access.people,
    upload_enabled: retrieval.uploads,
    welcome_prompt: chat.welcome ?? null,
    disclaimer: chat.disclaimer ?? null,
    sorry_message: chat.sorry ?? null,
    starter_questions: chat.starters,
    persona_id: persona.preset ?? null,
    persona_text: persona.text ?? (persona.preset ? personas[persona.preset] : null),
    guardrail_text: rulesIn(body.guards) || null,
    guardrail_covers: body.guards.covers,
    logo_url: logoUrl(chat),
    llm_links: links,
    skill_links: skills.map((skill) => ({
      skill_id: skill.name,
      skill_type: skill.type,
      skill_name: skillTitle(skill),
      skill_description: skill.description,
    })),
    data_source_ids: retrieval.tools,
    designation_ids: persona.designations,
    business_unit_ids: persona.businessUnits,
    tag_ids: persona.tags,
    guardrail_category_ids: categoriesIn(body.guards),
    missing: missingIn(body.settings),
    updated_at: new Date(definition.at).toISOString(),
  };
}

export function logoUrl({ logo }: PipelineSettings['chat']): string | null {
  return logo === undefined ? null : `/api/files/${logo}`;
}

/** What is wrong, by the fields that the platform's clients know. */
export function inTheirWords(thrown: unknown): unknown {
  if (!(thrown instanceof RunError)) return thrown;
  const { code, message } = thrown.failure;
  const told = message
    .replaceAll(/\bskills\[(\d+)\]\.name/g, 'skill_links[$1].skill_id')
    .replaceAll(/\bskills\[(\d+)\]\.type/g, 'skill_links[$1].skill_type')
    .replaceAll(/\bmodels\.(planner|enhancer|general)\b/g, 'llm_links ($1)')
    .replaceAll(/\bretrieval\.tools(?=[[:])/g, 'data_source_ids')
    .replaceAll(/\bpersona\.preset\b/g, 'persona_id');
  return told === message ? thrown : new RunError(code, told, { cause: thrown });
}
