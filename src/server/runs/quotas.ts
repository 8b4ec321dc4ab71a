import type { QuotaSettings } from '../../catalog/server-settings.ts';
import { RunError } from '../../run/failure.ts';
import { localTenant } from '../folder/home.ts';
import type { ServerContext } from '../context.ts';
import type { Address } from '../../wire/native/endpoint.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Approval } from '../../run/tree.ts';
import { type OwnFile, ownFile } from './own-file.ts';
import type { Caller } from '../access/honest.ts';
import { readQuestionId } from '../../run/question-id.ts';
import { largestFile } from '../../wire/native/files.ts';
import { ownConversation } from './own-conversation.ts';
import { isHiddenConversation, shownRows } from '../apps/hidden-apps.ts';

/** What one tenant uses of the server, and no more than its share. */
export interface Quotas {
  /** One more request, which counts again for every so many bytes that come with it; fails with `over-budget`. */
  request(tenant: string, request: { readonly now: number; readonly bytes: number }): void;
  /** Room for a body that is on its way; returns what gives it back. */
  receive(tenant: string, bytes: number): () => void;
  /** One more open stream; returns what gives it back. */
  stream(tenant: string): () => void;
  /** Room for some bytes beside those that are held; returns what to call when they are held, too. */
  upload(tenant: string, bytes: { readonly held: number; readonly more: number }): () => void;
  /** Fails where one file has more bytes than it may. */
  file(bytes: number): void;
  readonly runs: number;
  /** Runs that wait for something. */
  readonly waiting: number;
  readonly sessions: number;
  readonly bytes: number;
  /** Streams and sockets that are open. */
  streams(tenant: string): { readonly open: number; readonly most: number };
}

interface Share {
  tokens: number;
  at: number;
  streams: number;
  /** Of bodies that have not come whole, or are not answered. */
  receiving: number;
  /** On their way to be kept. */
  bytes: number;
}

/** Beyond so many tenants the ones that have nothing open are forgotten. */
const remembered = 10_000;

/** A body is read and checked at a cost: so many bytes are one more request. */
const bytesPerRequest = 64 * 1024;
/** Of all bodies of a tenant that are on their way. */
const receivable = 64 * 1024 * 1024;

/** `isOpen` when whoever is at this machine needs no key: then nobody counts their requests. */
export function quotasOf(settings: QuotaSettings, isOpen: boolean): Quotas {
  const { requests, burst, streams, bytes } = settings;
  const shares = new Map<string, Share>();
  const shareOf = sharesIn(shares, burst);
  const isExempt = (tenant: string): boolean => isOpen && tenant === localTenant;
  return {
    runs: settings.runs,
    waiting: settings.waiting,
    file: (size) => expectFitting(size, settings.file),
    sessions: settings.sessions,
    bytes,
    streams: (tenant) => ({ open: shares.get(tenant)?.streams ?? 0, most: streams }),
    request(tenant, { now, bytes: brought }) {
      if (isExempt(tenant)) return;
      const share = shareOf(tenant);
      share.tokens = Math.min(burst, share.tokens + (Math.max(0, now - share.at) / 1_000) * requests);
      share.at = now;
      if (share.tokens < 1) throw over(`more than ${requests} requests a second; slow down`);
      share.tokens -= 1 + Math.floor(brought / bytesPerRequest);
    },
    receive(tenant, brought) {
      const share = shareOf(tenant);
      if (share.receiving + brought > receivable && brought > 0)
        throw over(`more than ${receivable} bytes are being sent at once; send one after the other`);
      share.receiving += brought;
      return () => void (share.receiving -= brought);
    },
    stream(tenant) {
      const share = shareOf(tenant);
      if (share.streams >= streams) throw over(`${streams} streams are open already; close some`);
      share.streams += 1;
      return () => void (share.streams -= 1);
    },
    upload(tenant, { held, more }) {
      const share = shareOf(tenant);
      if (held + share.bytes + more > bytes)
        throw over(`more than ${bytes} bytes of runs and files are kept; erase some`);
      share.bytes += more;
      return () => void (share.bytes -= more);
    },
  };
}

function sharesIn(shares: Map<string, Share>, burst: number): (tenant: string) => Share {
  return (tenant) => {
    const known = shares.get(tenant);
    if (known) return known;
    if (shares.size >= remembered)
      for (const [name, share] of shares)
        if (share.streams + share.receiving + share.bytes === 0) shares.delete(name);
    const share = { tokens: burst, at: 0, streams: 0, receiving: 0, bytes: 0 };
    shares.set(tenant, share);
    return share;
  };
}

function expectFitting(bytes: number, most: number): void {
  if (bytes <= most) return;
  const fix = 'send a smaller one, or raise «server.quotas.file»';
  throw new RunError('too-large', `The file has ${bytes} bytes and ${most} are allowed: ${fix}.`);
}

function over(what: string): RunError {
  return new RunError('over-budget', `This is more than your share: ${what}.`, { retryable: true });
}

/** Keep something for a tenant, if its share has room for it. */
export async function withinQuota<T>(
  { home, quotas }: ServerContext,
  { tenant, bytes }: { readonly tenant: string; readonly bytes: number },
  keep: () => Promise<T>,
): Promise<T> {
  const held = await home.store.blobs.held(tenant);
  const done = quotas.upload(tenant, { held, more: bytes });
  return keep().finally(done);
}

/** What a route can be about. `anyone` needs no caller, `tenant` shows only what is the caller's by asking for no more. */
export interface Subjects extends Record<Address, unknown> {
  readonly anyone: undefined;
  readonly tenant: undefined;
  readonly run: RunRow;
  readonly conversation: { readonly conversation: string; readonly newest: RunRow };
  /** `named` is the fingerprint that the name of the question brought along. */
  readonly approval: { readonly row: RunRow; readonly approval: Approval; readonly named?: string };
  readonly file: OwnFile;
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
    const { context, caller } = sought;
    const file = caller && (await ownFile({ context, caller }, id));
    if (!file) throw missing('file', id);
    return file;
  },
};

/** A conversation by the name somebody gives it: their own one of that name, or the name in full. */
export async function conversationBy(
  { context, caller }: Pick<Sought, 'context' | 'caller'>,
  given: string,
): Promise<Subjects['conversation'] | undefined> {
  const tenant = tenantOf({ context, caller });
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

export function tenantOf({ context, caller }: Pick<Sought, 'context' | 'caller'>): string {
  if (caller) return caller.tenant;
  throw new RunError('unauthenticated', `Say who you are: ${context.door.introduction}.`);
}

/** Ids come from outside: as much of them as a person needs to recognise them. */
export function missing(what: string, id: string): RunError {
  return new RunError('unknown', `There is no ${what} «${id.slice(0, 100)}».`);
}

/** Fails once the server has begun to go away. */
export function expectOpen(context: ServerContext): void {
  const { aborted, reason } = context.closing;
  if (!aborted) return;
  if (reason instanceof RunError) throw reason;
  const message = 'The server is going away: try again in a moment.';
  throw new RunError('unavailable', message, { retryable: true });
}
