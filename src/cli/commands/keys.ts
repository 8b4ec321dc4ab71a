import { RunError } from '../../run/failure.ts';
import { Role } from '../../server/access/caller.ts';
import { createKey, readKeys, revokeKey, type KeyRecord } from '../../server/access/keys.ts';
import { dataOption, exit, jsonOption, type CliCommand, type Given } from '../command.ts';
import { jsonLine, visibleLine } from '../escape.ts';
import { dataOf } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

export const keys: CliCommand = {
  name: 'keys',
  usage: 'create <name> | list | revoke <name or id> [options]',
  summary: 'make, list and revoke the keys of people and programs',
  details: [
    'A key is shown once, when it is made; only its hash is kept, in keys.json of the data folder. Revoking one closes',
    'what it has open within seconds. Nothing of one tenant is visible to another.',
  ],
  options: {
    tenant: { type: 'string', value: '<name>', about: 'whose things it opens; local unless said' },
    role: { type: 'string', value: '<role>', about: 'viewer, member (unless said) or operator' },
    ...jsonOption,
    ...dataOption,
  },
  words: [1, 2],
  async run(given, terminal) {
    const [action = '', name] = given.words;
    if (action === 'create' && name !== undefined) return create(given, terminal, name);
    if (action === 'list' && name === undefined) return list(given, terminal);
    if (action === 'revoke' && name !== undefined) {
      const { id } = revokeKey(dataOf(given), name, Date.now());
      terminal.say(`Key ${id} is revoked.`);
      return exit.completed;
    }
    throw new RunError('malformed', 'Say «vitrine keys create <name>», «list» or «revoke <name or id>».');
  },
};

function create(given: Given, terminal: Terminal, name: string): number {
  const role = Role.safeParse(given.text('role') ?? 'member');
  if (!role.success) throw new RunError('malformed', `--role is one of ${Role.options.join(', ')}.`);
  const tenant = given.text('tenant') ?? 'local';
  if (!/^[\w.@-]{1,64}$/.test(tenant) || !/^[\w.@ -]{1,64}$/.test(name))
    throw new RunError('malformed', 'Names of keys and tenants are up to 64 letters, digits, ., @, _ and -.');
  const { record, key } = createKey(dataOf(given), { name, tenant, role: role.data }, Date.now());
  if (given.flag('json')) terminal.say(jsonLine({ ...told(record), key }));
  else {
    terminal.say(key);
    terminal.warn(`This is key ${record.id} of «${name}», tenant «${tenant}». It is not shown again.`);
  }
  return exit.completed;
}

function list(given: Given, terminal: Terminal): number {
  const known = readKeys(dataOf(given));
  if (known.length === 0 && !given.flag('json')) terminal.warn('There are no keys.');
  for (const record of known) {
    const { id, name, tenant, role, createdAt, revokedAt } = record;
    if (given.flag('json')) terminal.say(jsonLine(told(record)));
    else {
      const made = new Date(createdAt).toISOString().slice(0, 10);
      const end =
        revokedAt === undefined ? '' : `  revoked ${new Date(revokedAt).toISOString().slice(0, 10)}`;
      terminal.say(visibleLine(`${id}  ${name}  ${tenant}  ${role}  made ${made}${end}`));
    }
  }
  return exit.completed;
}

/** The hash is of no use to anybody, and is not shown. */
function told({ id, name, tenant, role, createdAt, revokedAt }: KeyRecord): Omit<KeyRecord, 'hash'> {
  return { id, name, tenant, role, createdAt, ...(revokedAt === undefined ? {} : { revokedAt }) };
}
