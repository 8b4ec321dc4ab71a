import { RunError } from '../../run/failure.ts';
import { readQuestionId } from '../../run/question-id.ts';
import type { Approval } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Address } from '../../wire/native/endpoint.ts';
import type { Caller } from '../access/caller.ts';
import { largestFile } from '../../wire/native/files.ts';
import { isHiddenConversation, shownRows } from '../apps/hidden-apps.ts';
import { fileOf, type StoredFile } from './files.ts';
import type { ServerContext } from '../context.ts';
import { ownConversation } from './own-conversation.ts';

/** What a route can be about. `anyone` needs no caller, `tenant` shows only what is the caller's by asking for no more. */
export interface Subjects extends Record<Address, unknown> {
  readonly anyone: undefined;
  readonly tenant: undefined;
  readonly run: RunRow;
  readonly conversation: { readonly conversation: string; readonly newest: RunRow };
  /** `named` is the fingerprint that the name of the question brought along. */
  readonly approval: { readonly row: RunRow; readonly approval: Approval; readonly named?: string };
  readonly file: StoredFile;
}

export interface Sought {
  readonly context: ServerContext;
  readonly caller: Caller | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** As routes have it. */
  readonly heavy: (bytes: number) => Promise<void>;
}

type Finders = { readonly [A in Address]: (sought: Sought) => Promise<Subjects[A]> };

/** The one place where things are found by the names that callers give. What belongs to another is not there: 404. */
export const finders: Finders = {
  anyone: async () => undefined,
  tenant: async (sought) => void tenantOf(sought),
  async run(sought) {
    const run = sought.params['run'] ?? '';
    const row = await ownRun(sought, run);
    if (!row) throw missing('run', run);
    return row;
  },
  async conversation(sought) {
    const given = sought.params['conversation'] ?? '';
    const found = await conversationBy(sought, given);
    if (!found) throw missing('conversation', given);
    return found;
  },
  async approval(sought) {
    const { approval: id, fingerprint: named } = readQuestionId(sought.params['approval'] ?? '');
    const [, run] = /^(.+)\.a\d+$/.exec(id) ?? [];
    const row = run === undefined ? undefined : await ownRun(sought, run);
    await sought.heavy(row?.bytes ?? 0);
    const approval = row && (await sought.context.trees.of(row)).approvals.get(id);
    if (!approval) throw missing('approval', id);
    return { row, approval, named };
  },
  async file(sought) {
    const id = sought.params['file'] ?? '';
    // How large it is shows only when it is read, and no file is larger.
    await sought.heavy(largestFile);
    const file = await fileOf(sought.context.home.blobs, tenantOf(sought), id);
    if (!file) throw missing('file', id);
    return file;
  },
};

/** A conversation by the name somebody gives it: their own one of that name, or the name in full. */
export async function conversationBy(
  { context, caller }: Pick<Sought, 'context' | 'caller'>,
  given: string,
): Promise<Subjects['conversation'] | undefined> {
  const tenant = tenantOf({ caller });
  const own = caller ? ownConversation(caller, given).id : given;
  for (const conversation of new Set([own, given])) {
    if (caller && (await isHiddenConversation(context, caller, conversation))) break;
    const [newest] = await context.home.dispatch.list({ tenant, conversation, limit: 1 });
    if (newest) return { conversation, newest };
  }
  return undefined;
}

/** A run of the caller's tenant, in an app that is for them; those of others are not there. */
export async function ownRun(
  sought: Pick<Sought, 'context' | 'caller'>,
  run: string,
): Promise<RunRow | undefined> {
  const row = await sought.context.home.dispatch.get(run);
  if (!row || row.tenant !== tenantOf(sought) || !sought.caller) return undefined;
  const [shown] = await shownRows(sought.context, sought.caller, [row]);
  return shown;
}

export function tenantOf({ caller }: Pick<Sought, 'caller'>): string {
  if (caller) return caller.tenant;
  throw new RunError('unauthenticated', 'Say who you are: send a key as «Authorization: Bearer …».');
}

/** Ids come from outside: as much of them as a person needs to recognise them. */
export function missing(what: string, id: string): RunError {
  return new RunError('unknown', `There is no ${what} «${id.slice(0, 100)}».`);
}
