import { LRUCache } from 'lru-cache';
import type { Definition } from '../../run/definition.ts';
import { RunError, failureOf } from '../../run/failure.ts';
import { workflowOfApp } from '../../run/values.ts';
import { bodyIn } from '../../front/definition-body.ts';
import { storedApp, type ConfiguredApp } from '../compose/app-definitions.ts';
import type { Caller } from '../access/honest.ts';
import type { OpenFolder } from '../folder/open-folder.ts';
import { appNamed, type App } from '../folder/home.ts';
import { formerApps, lastOf, placesOf, type Former } from './former-apps.ts';
import { workflowApp } from '../workflows/workflow-app.ts';
import type { RunDefinition } from '../../front/front.ts';
import type { DefinitionsFront } from '../../front/definitions.ts';
import type { Access } from '../compose/named-flow.ts';

/** What apps are looked up in. */
export interface Apps {
  readonly home: Pick<OpenFolder, 'apps' | 'definitions' | 'store' | 'catalog' | 'nameable' | 'limits'>;
}

/** What the apps of the configuration and those that people made are to somebody: one list, without what is not for them. */
export async function appsFor({ home }: Apps, caller: Caller): Promise<readonly App[]> {
  const rows = await publishedBy(home, caller.tenant);
  const stored = await Promise.all(rows.map((row) => appOf(home, row)));
  return [...home.apps, ...stored.flatMap((app) => app ?? [])].filter((app) => mayUse(app, caller));
}

/** The app or workflow that somebody means, or a failure that names the apps there are for them. */
export async function appFor(apps: Apps, caller: Caller, name: string): Promise<App> {
  const { home } = apps;
  const workflow = workflowOfApp(name);
  if (workflow !== undefined) return workflowApp(home, caller, { name: workflow });
  const configured = home.apps.find((app) => app.name === name);
  if (configured && mayUse(configured, caller)) return configured;
  if (!configured) {
    const versions = await home.store.definitions.versions({ tenant: caller.tenant, kind: 'app', name });
    const newest = versions.findLast(({ state }) => state === 'published');
    const app = newest && (await appOf(home, newest));
    if (app && mayUse(app, caller)) return app;
  }
  return appNamed(await appsFor(apps, caller), name);
}

/** An app of a tenant, whoever it is for: as it is, or as it was before it was archived, left out or erased. */
export async function knownApp(
  home: Apps['home'],
  tenant: string,
  name: string,
): Promise<Former | undefined> {
  const configured = home.apps.find((app) => app.name === name);
  if (configured) return configured;
  for (const place of placesOf(tenant)) {
    const newest = lastOf(await home.store.definitions.versions({ tenant: place, kind: 'app', name }));
    if (newest) return appOf(home, newest);
  }
  const [former] = await formerApps(home.store.shared, tenant, name);
  return former;
}

/** Every app there is or was in a tenant, whoever it is for. */
export async function knownApps(home: Apps['home'], tenant: string): Promise<readonly Former[]> {
  const versions = new Map<string, Definition[]>();
  for (const place of placesOf(tenant))
    for (let after: Definition | undefined; ;) {
      const rows = await home.store.definitions.list({ tenant: place, kind: 'app', after });
      for (const row of rows) versions.set(row.name, [...(versions.get(row.name) ?? []), row]);
      after = rows.at(-1);
      if (!after) break;
    }
  for (const { name } of home.apps) versions.delete(name);
  const newest = [...versions.values()].flatMap((rows) => lastOf(rows) ?? []);
  const stored = await Promise.all(newest.map((row) => appOf(home, row)));
  const former = await formerApps(home.store.shared, tenant);
  return [
    ...home.apps,
    ...stored.flatMap((app) => app ?? []),
    ...former.filter(({ name }) => !versions.has(name) && !home.apps.some((app) => app.name === name)),
  ];
}

/** The newest published version of each name. */
async function publishedBy({ store }: Apps['home'], tenant: string): Promise<readonly Definition[]> {
  const newest = new Map<string, Definition>();
  for (let after: Definition | undefined; ;) {
    const rows = await store.definitions.list({ tenant, kind: 'app', state: 'published', after });
    for (const row of rows) newest.set(row.name, row);
    after = rows.at(-1);
    if (!after) return [...newest.values()];
  }
}

/** What was published never changes, so it is read once. */
const known = new WeakMap<object, LRUCache<string, App>>();

async function appOf(
  { store, catalog, limits }: Apps['home'],
  definition: Definition,
): Promise<App | undefined> {
  const { tenant, name, hash, by } = definition;
  const kept = known.get(store) ?? new LRUCache<string, App>({ max: 500 });
  known.set(store, kept);
  const key = JSON.stringify([tenant, name, hash, by]);
  const app = kept.get(key);
  if (app) return app;
  const text = await store.blobs.get(tenant, hash);
  if (text === undefined) throw new RunError('unknown', `What the app «${name}» says is not there.`);
  const made = storedApp({ definition, body: bodyIn(text) }, { flows: catalog.flows, limits });
  if (made) kept.set(key, made);
  return made;
}

/**
 * The apps of a configuration, published. A store that cannot be written now is asked again when something is started:
 * whoever only looks must not need it.
 */
export async function publishedApps(
  front: DefinitionsFront,
  apps: readonly ConfiguredApp[],
  isWhole: boolean,
): Promise<readonly App[]> {
  const published = apps.map(({ body, app }): App & Required<Pick<App, 'definition'>> => ({
    ...app,
    definition: untilDone(async () => {
      const { definition, body: kept } = await front.provide({ kind: 'app', name: app.name }, body);
      return { tenant: definition.tenant, hash: definition.hash, body: kept };
    }),
  }));
  try {
    await Promise.all(published.map(({ definition }) => definition()));
    if (isWhole)
      await front.retire(
        'app',
        published.map(({ name }) => name),
      );
  } catch (thrown) {
    if (failureOf(thrown).code !== 'unavailable') throw thrown;
  }
  return published;
}

function untilDone(work: () => Promise<RunDefinition>): () => Promise<RunDefinition> {
  let done: Promise<RunDefinition> | undefined;
  return () =>
    (done ??= work().catch((thrown: unknown) => {
      done = undefined;
      throw thrown;
    }));
}

/** Whether somebody is among those an app is for. */
export function mayUse(
  { access }: { readonly access?: Access | undefined },
  { who }: { readonly who: string },
): boolean {
  return access === undefined || access.everyone || access.people.includes(who);
}
