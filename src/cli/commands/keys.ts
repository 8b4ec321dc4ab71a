import { RunError } from '../../run/failure.ts';
import { Role } from '../../server/access/honest.ts';
import { createKey, readKeys, revokeKey, type KeyRecord } from '../../server/access/keys.ts';
import { changeSharedIn, readShared, type Shared } from '../../server/compose/shared-in.ts';
import { folderOwner, localTenant } from '../../server/folder/home.ts';
import { dataOption, exit, jsonOption, type CliCommand, type Given } from '../command.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import { dataOf } from '../data-folder.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { present } from '../../run/tree.ts';

export const keys: CliCommand = {
  name: 'keys',
  usage: 'create <name> | list | revoke <name or id> [options]',
  summary: 'make, list and revoke the keys of people and programs',
  details: [
    'A key is shown once, when it is made; only its hash is kept, in the data folder. Revoking one closes',
    'what it has open within seconds. Nothing of one tenant is visible to another.',
  ],
  options: {
    tenant: { type: 'string', value: '<name>', about: 'whose things it opens; local unless said' },
    role: { type: 'string', value: '<role>', about: 'viewer, member (unless said), approver or operator' },
    expires: {
      type: 'string',
      value: '<time>',
      about: 'how long it is good for: 90m, 12h, 30d or 8w; for good unless said',
    },
    ...jsonOption,
    ...dataOption,
  },
  words: [1, 2],
  async run(given, terminal) {
    const [action = '', name] = given.words;
    if (action === 'create' && name !== undefined) return create(given, terminal, name);
    if (action === 'list' && name === undefined) return list(given, terminal);
    if (action === 'revoke' && name !== undefined) {
      const now = Date.now();
      const { id } = await changeIn(given, terminal, (shared) => revokeKey(shared, name, now));
      terminal.say(`Key ${id} is revoked.`);
      return exit.completed;
    }
    throw new RunError('malformed', 'Say «vitrine keys create <name>», «list» or «revoke <name or id>».');
  },
};

function changeIn<T>(given: Given, terminal: Terminal, change: (shared: Shared) => Promise<T>): Promise<T> {
  return changeSharedIn(dataOf(given), (line) => terminal.warn(line), change);
}

async function create(given: Given, terminal: Terminal, name: string): Promise<number> {
  const role = Role.safeParse(given.text('role') ?? 'member');
  if (!role.success) throw new RunError('malformed', `--role is one of ${Role.options.join(', ')}.`);
  const tenant = given.text('tenant') ?? localTenant;
  if (![tenant, name].every((each) => /^[\w.@-]{1,64}$/.test(each)))
    throw new RunError('malformed', 'Names of keys and tenants are up to 64 letters, digits, ., @, _ and -.');
  if (name === folderOwner && tenant === localTenant)
    throw new RunError('malformed', `«${name}» is whoever owns this folder: choose another name.`);
  const now = Date.now();
  const wanted = { name, tenant, role: role.data, ...present({ expiresAt: endIn(given, now) }) };
  const { record, key } = await changeIn(given, terminal, (shared) => createKey(shared, wanted, now));
  if (given.flag('json')) terminal.say(jsonLine({ ...told(record), key }));
  else {
    terminal.say(key);
    const end = record.expiresAt === undefined ? '' : `, good until ${timeOf(record.expiresAt)}`;
    terminal.warn(`This is key ${record.id} of «${name}», tenant «${tenant}»${end}. It is not shown again.`);
  }
  return exit.completed;
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function endIn(given: Given, now: number): number | undefined {
  const text = given.text('expires');
  if (text === undefined) return undefined;
  const [, count = '0', unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  const length = Number(count) * (units[unit] ?? 0);
  if (length > 0) return now + length;
  throw new RunError(
    'malformed',
    `--expires is «${text}»: give a number and m, h, d or w, as 90m, 12h, 30d or 8w.`,
  );
}

async function list(given: Given, terminal: Terminal): Promise<number> {
  const known = await readShared(dataOf(given), (line) => terminal.warn(line), readKeys);
  if (known.length === 0 && !given.flag('json')) terminal.warn('There are no keys.');
  for (const record of known) {
    const { id, name, tenant, role, createdAt } = record;
    if (given.flag('json')) terminal.say(jsonLine(told(record)));
    else {
      const made = timeOf(createdAt).slice(0, 10);
      terminal.say(visibleLine(`${id}  ${name}  ${tenant}  ${role}  made ${made}${endOf(record)}`));
    }
  }
  return exit.completed;
}

function endOf({ revokedAt, expiresAt }: KeyRecord): string {
  if (revokedAt !== undefined) return `  revoked ${timeOf(revokedAt).slice(0, 10)}`;
  if (expiresAt === undefined) return '';
  return `  ${expiresAt > Date.now() ? 'expires' : 'expired'} ${timeOf(expiresAt)}`;
}

function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`;
}

/** The hash is of no use to anybody, and is not shown. */
function told({ id, name, tenant, role, createdAt, expiresAt, revokedAt }: KeyRecord): object {
  return { id, name, tenant, role, createdAt, ...present({ expiresAt, revokedAt }) };
}
