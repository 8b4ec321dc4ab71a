import { configurationTenant } from '../../run/definition.ts';
import { mostCounted, type AppDraft, type ListedApp } from '../../wire/native/apps.ts';
import type { Caller } from '../access/honest.ts';
import { allFound, type Found } from '../applications/applications.ts';
import type { ServerContext } from '../context.ts';
import { lacksOf } from './app-problems.ts';
import { appsFor } from './apps-for.ts';
import { present } from '../../run/tree.ts';

/** An application as it is worked on. */
export function toldDraft(found: Found): AppDraft {
  const { description, settings, guards } = found.body;
  return {
    ...standingOf(found),
    ...madeOf(found),
    app: { description, settings, guards },
    lacks: lacksOf(found.body),
  };
}

function standingOf({ definition, body, published, isArchived }: Found) {
  return {
    name: definition.name,
    title: body.settings.chat.name ?? definition.name,
    flow: 'pipeline',
    state: published.length > 0 ? 'published' : isArchived ? 'archived' : 'draft',
    readOnly: definition.tenant === configurationTenant,
  } as const;
}

function madeOf({ definition: { by, at }, revision, published }: Found) {
  return { revision, version: published.at(-1)?.version ?? 0, by, at };
}

/** Every app for somebody: applications, the newest change first, then those with a flow of another kind. */
export async function listedApps(context: ServerContext, caller: Caller): Promise<readonly ListedApp[]> {
  const found = await allFound(context, caller);
  const names = new Set(found.map(({ definition }) => definition.name));
  const applications = found.map(async (one) => ({
    ...standingOf(one),
    description: one.body.description,
    made: madeOf(one),
    changed: one.revision > 0 && one.published.at(-1)?.hash !== one.definition.hash,
    ...present({ problem: one.told.error_message ?? undefined }),
    counts: {
      ...(await countsOf(context, caller, one.definition.name)),
      skills: one.body.settings.skills.length,
      documents: one.body.settings.retrieval.tools.length,
      guards: new Set([...one.body.guards.input, ...one.body.guards.output].map(({ guard }) => guard)).size,
    },
  }));
  const others = (await appsFor(context, caller))
    .filter(({ name }) => !names.has(name))
    .map(async ({ name, description = '', flow }) => ({
      name,
      title: name,
      flow: flow.name,
      state: 'published' as const,
      readOnly: true,
      description,
      counts: await countsOf(context, caller, name),
    }));
  return Promise.all([...applications, ...others]);
}

async function countsOf({ home }: ServerContext, { tenant }: Caller, app: string) {
  const limit = mostCounted;
  const [runs, conversations] = await Promise.all([
    home.dispatch.list({ tenant, app, limit }),
    home.dispatch.list({ tenant, app, newestOfEach: true, limit }),
  ]);
  return { runs: runs.length, conversations: conversations.length };
}
