import { lookup as lookupName } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { RunError } from '../../run/failure.ts';

export interface HttpGuard {
  /** Whether this address may be connected to. */
  readonly isAllowed: (address: string) => boolean;
  /** The addresses of a name. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>;
}

export async function addressesOf(hostname: string): Promise<string[]> {
  return (await lookupName(hostname, { all: true })).map(({ address }) => address);
}

/**
 * Connections that reach only allowed addresses. The check sits where the connection is made, because anything earlier
 * can be got around: a literal address is never looked up, a redirect names another host, and a name can be given
 * another address between a check and the connection.
 */
export function guardedAgent(guard: HttpGuard): Agent {
  const connect = buildConnector({ allowH2: false, timeout: 10_000, lookup: checkedLookup(guard) });
  const checked: buildConnector.connector = (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !guard.isAllowed(host)) {
      callback(refused(host), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error) callback(error, null);
      else if (guard.isAllowed(socket.remoteAddress ?? '')) callback(null, socket);
      else {
        socket.destroy();
        callback(refused(host), null);
      }
    });
  };
  return new Agent({ connect: checked, connections: 1, pipelining: 0 });
}

function checkedLookup(guard: HttpGuard): LookupFunction {
  return (hostname, options, callback) => {
    guard.lookup(hostname).then(
      (addresses) => {
        if (!addresses.every(guard.isAllowed)) callback(refused(hostname), '');
        else answer(hostname, addresses, { options, callback });
      },
      (error: Error) => callback(error, ''),
    );
  };
}

type LookupArguments = Parameters<LookupFunction>;

function answer(
  hostname: string,
  addresses: readonly string[],
  { options, callback }: { options: LookupArguments[1]; callback: LookupArguments[2] },
): void {
  const [first] = addresses;
  if (first === undefined) callback(Object.assign(new Error(hostname), { code: 'ENOTFOUND' }), '');
  else if (options.all)
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );
  else callback(null, first, isIP(first));
}

function refused(host: string): RunError {
  return new RunError(
    'refused',
    `${host} is not an address that may be reached from here; choose another \`url\`.`,
  );
}
