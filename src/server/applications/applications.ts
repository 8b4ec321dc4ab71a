import { configurationTenant, type Definition } from '../../run/definition.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import type { Application, ApplicationChange } from '../../wire/applications.ts';
import type { Caller } from '../access/honest.ts';
import { knownApp, mayUse } from '../apps/apps-for.ts';
import { keepFormer } from '../apps/former-apps.ts';
import type { ServerContext } from '../context.ts';
import { missing } from '../runs/quotas.ts';
import {
  applicationOf,
  bodyOf,
  changed,
  inTheirWords,
  keptBody,
  newBody,
  type ApplicationBody,
} from './application-form.ts';

const kind = 'app';

/** An application as it stands: what its draft says, or where there is none, its newest version. */
export interface Found {
  readonly body: ApplicationBody;
  readonly definition: Definition;
  /** Of the draft; 0 where there is none. */
  readonly revision: number;
  readonly published: readonly Definition[];
  /** Whether it was published once and is so no more. */
  readonly isArchived: boolean;
  readonly told: Application;
}

type Asking = Pick<ServerContext, 'home'>;

/** The application somebody means. One whose access does not name them is not there. */
export async function foundApplication(context: Asking, caller: Caller, name: string): Promise<Found> {
  const versions = await context.home.definitions.versions(caller, { kind, name });
  const found = await standing(context, caller, versions);
  if (found && isFor(found, caller, versions)) return found;
  throw missing('application', name);
}

/** All that there are for somebody, the newest change first. */
export async function allApplications(context: Asking, caller: Caller): Promise<readonly Application[]> {
  return (await allFound(context, caller)).map(({ told }) => told);
}

/** The same, with what each says. */
export async function allFound(context: Asking, caller: Caller): Promise<readonly Found[]> {
  const { definitions } = context.home.store;
  const byName = new Map<string, Definition[]>();
  for (const tenant of [configurationTenant, caller.tenant])
    for (let after: Definition | undefined; ;) {
      const rows = await definitions.list({ tenant, kind, after });
      for (const row of rows) add(byName, row);
      after = rows.at(-1);
      if (!after) break;
    }
  const found = await Promise.all(
    [...byName.values()].map(async (versions) => {
      const one = await standing(context, caller, versions);
      return one && isFor(one, caller, versions) ? [one] : [];
    }),
  );
  return found.flat().toSorted((one, other) => other.definition.at - one.definition.at);
}

function add(byName: Map<string, Definition[]>, row: Definition): void {
  byName.set(row.name, [...(byName.get(row.name) ?? []), row]);
}

/** Make one. It is a draft, named after what it is called. */
export async function createApplication(
  context: Asking,
  caller: Caller,
  change: ApplicationChange & { readonly name: string },
): Promise<Found> {
  const body = await inWords(async () => changed(newBody, change));
  const name = await freeName(context, caller, change.name);
  await inWords(() =>
    context.home.definitions.draft(caller, { kind, name, body: keptBody(body), revision: 0 }),
  );
  return foundApplication(context, caller, name);
}

/** Change one. What is published stays so, as it is then. */
export async function changeApplication(
  context: Asking,
  caller: Caller,
  { name, change }: { readonly name: string; readonly change: ApplicationChange },
): Promise<Found> {
  const found = await foundApplication(context, caller, name);
  return save(context, caller, { ...found, body: await inWords(async () => changed(found.body, change)) });
}

/** Keep what an application says now; where it is published, that is published. */
export async function save(context: Asking, caller: Caller, found: Found): Promise<Found> {
  const { definition, revision, published, body } = found;
  const { name } = definition;
  const { definitions } = context.home;
  const isPublished = published.length > 0;
  if (isPublished) expectReady(name, applicationOf(body, { definition, isPublished, problem: undefined }));
  const draft = await inWords(() =>
    definitions.draft(caller, { kind, name, body: keptBody(body), revision }),
  );
  if (isPublished) await inWords(() => definitions.publish(caller, { kind, name, revision: draft.revision }));
  return foundApplication(context, caller, name);
}

/** People can use it from now on. What it lacks is named, each thing of it. */
export async function publishApplication(context: Asking, caller: Caller, name: string): Promise<Found> {
  const found = await foundApplication(context, caller, name);
  expectReady(name, found.told);
  const { revision } = found;
  if (revision > 0) await inWords(() => context.home.definitions.publish(caller, { kind, name, revision }));
  return foundApplication(context, caller, name);
}

/** Nobody can begin anything with it; what has begun goes on, and what it says stays as a draft. */
export async function unpublishApplication(context: Asking, caller: Caller, name: string): Promise<Found> {
  const { published, revision, body } = await foundApplication(context, caller, name);
  const { definitions } = context.home;
  if (revision === 0) await definitions.draft(caller, { kind, name, body: keptBody(body), revision });
  for (const { version } of published) await definitions.archive(caller, { kind, name, version });
  return foundApplication(context, caller, name);
}

/** Take it away with every version. Who may see what was run in it stays as it was. */
export async function eraseApplication(context: Asking, caller: Caller, name: string): Promise<void> {
  await foundApplication(context, caller, name);
  const { definitions, store } = context.home;
  await definitions.expectOwn(caller, { kind, name });
  const known = await knownApp(context.home, caller.tenant, name);
  if (known) await keepFormer(store.shared, caller.tenant, known);
  await definitions.erase(caller, { kind, name });
}

function expectReady(name: string, { missing: lacks }: Application): void {
  if (lacks.length === 0) return;
  throw new RunError(
    'malformed',
    `The application «${name}» cannot be published: it lacks ${lacks.join('; ')}.`,
  );
}

async function standing(
  { home }: Asking,
  caller: Caller,
  versions: readonly Definition[],
): Promise<Found | undefined> {
  const draft = versions.find(({ version }) => version === 0);
  const published = versions.filter(({ state }) => state === 'published');
  const definition = draft ?? published.at(-1);
  if (!definition) return undefined;
  const { name, version } = definition;
  const { body: kept } = await home.definitions.read(caller, { kind, name, version });
  const body = bodyOf(kept, name);
  if (!body) return undefined;
  const isPublished = published.length > 0;
  const problem = isPublished ? problemOf(home, name, body) : undefined;
  const told = applicationOf(body, { definition, isPublished, problem });
  const isArchived = !isPublished && versions.some(({ state }) => state === 'archived');
  return { body, definition, revision: draft?.revision ?? 0, published, isArchived, told };
}

/** Why one that was published cannot be run as it stands: somebody it names is gone. */
function problemOf(
  { catalog }: Asking['home'],
  name: string,
  { settings }: ApplicationBody,
): string | undefined {
  const flow = catalog.flows.find((one) => one.name === 'pipeline');
  if (!flow || !('readSettings' in flow)) return undefined;
  try {
    (flow.readSettings as (app: string, settings: object) => object)(name, settings);
    return undefined;
  } catch (thrown) {
    return failureOf(inTheirWords(thrown)).message.replace('The configuration', 'The application');
  }
}

function isFor({ body }: Found, caller: Caller, versions: readonly Definition[]): boolean {
  const { everyone, people } = body.settings.access;
  return mayUse({ access: { everyone, people: [...people, ...versions.map(({ by }) => by)] } }, caller);
}

/** A name that nobody has or had, made of what it is called: what was run in an app that was erased must not become another's. */
export async function freeName({ home }: Asking, caller: Caller, called: string): Promise<string> {
  const plain = called
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, longestName);
  const base = plain || 'application';
  for (let i = 1; ; i += 1) {
    const name = i === 1 ? base : `${base}-${i}`;
    const isTaken =
      (await home.definitions.versions(caller, { kind, name })).length > 0 ||
      (await home.dispatch.list({ tenant: caller.tenant, app: name, limit: 1 })).length > 0;
    if (!isTaken) return name;
  }
}

const longestName = 56;

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw inTheirWords(thrown);
  }
}
