import type { RunFilter, RunRow } from '../../stores/store.ts';
import { mayAct, type Caller } from '../access/honest.ts';
import { workflowOfApp } from '../../run/values.ts';
import { knownApp, knownApps, type Apps, mayUse } from './apps-for.ts';

/** The names of the apps that are not for somebody: neither they nor their runs are there. Operators see all. */
export async function hiddenApps({ home }: Apps, caller: Caller): Promise<ReadonlySet<string>> {
  if (mayAct(caller.role, 'operator')) return new Set();
  const apps = await knownApps(home, caller.tenant);
  return new Set(apps.filter((app) => !mayUse(app, caller)).map(({ name }) => name));
}

/** Whether what was run in an app is there for somebody. Nothing is asked of the store but for an app that people made. */
async function isFor({ home }: Apps, caller: Caller, name: string): Promise<boolean> {
  if (mayAct(caller.role, 'operator') || workflowOfApp(name) !== undefined) return true;
  const app = await knownApp(home, caller.tenant, name);
  return app === undefined || mayUse(app, caller);
}

/** Of runs those that are there for somebody. */
export async function shownRows<Row extends Pick<RunRow, 'app'>>(
  apps: Apps,
  caller: Caller,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const shown = new Set<string>();
  for (const name of new Set(rows.map(({ app }) => app)))
    if (await isFor(apps, caller, name)) shown.add(name);
  return rows.filter(({ app }) => shown.has(app));
}

interface Lists extends Apps {
  readonly home: Apps['home'] & {
    readonly dispatch: { list(filter: RunFilter): Promise<readonly RunRow[]> };
  };
}

/** Whether something was said in a conversation in an app that is not for somebody. */
export async function isHiddenConversation(
  apps: Lists,
  caller: Caller,
  conversation: string,
): Promise<boolean> {
  const { tenant } = caller;
  for (const app of await hiddenApps(apps, caller))
    if ((await apps.home.dispatch.list({ tenant, conversation, app, limit: 1 })).length > 0) return true;
  return false;
}
