import { LRUCache } from 'lru-cache';
import type { Definition } from '../../run/definition.ts';
import { RunError } from '../../run/failure.ts';
import { workflowOfApp } from '../../run/workflow-app.ts';
import { bodyIn } from '../../front/definition-body.ts';
import { storedApp } from '../compose/app-definitions.ts';
import type { Caller } from '../access/caller.ts';
import type { OpenFolder } from '../folder/open-folder.ts';
import { appNamed, type App } from '../folder/home.ts';
import { mayUse } from './access.ts';
import { workflowApp } from '../workflows/workflow-app.ts';

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

/** An app of a tenant, whoever it is for: as it is published, or as it was last. */
export async function knownApp(home: Apps['home'], tenant: string, name: string): Promise<App | undefined> {
  const configured = home.apps.find((app) => app.name === name);
  if (configured) return configured;
  const versions = await home.store.definitions.versions({ tenant, kind: 'app', name });
  const newest = versions.findLast(({ state }) => state === 'published') ?? versions.at(-1);
  return newest && appOf(home, newest);
}

/** Every app there is in a tenant, whoever it is for: as it is published, or as it was last. */
export async function knownApps(home: Apps['home'], tenant: string): Promise<readonly App[]> {
  const newest = new Map<string, Definition>();
  for (let after: Definition | undefined; ;) {
    const rows = await home.store.definitions.list({ tenant, kind: 'app', after });
    for (const row of rows)
      if (row.state === 'published' || newest.get(row.name)?.state !== 'published') newest.set(row.name, row);
    after = rows.at(-1);
    if (!after) break;
  }
  const stored = await Promise.all([...newest.values()].map((row) => appOf(home, row)));
  return [...home.apps, ...stored.flatMap((app) => app ?? [])];
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
