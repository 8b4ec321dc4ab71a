import type { Followers } from './follow.ts';
import type { Argument, Operation, Result } from './rules.ts';
import type { Store } from './store.ts';

/** Carries one operation to where the rows are. Operations of one run arrive in the order of the calls. */
export type Carry = <Name extends Operation>(name: Name, argument: Argument<Name>) => Promise<Result<Name>>;

/** The four facets of a store, over whatever carries its operations. */
export function facets(carry: Carry, { follow }: Pick<Followers, 'follow'>): Omit<Store, 'listen' | 'close'> {
  return {
    journal: {
      append: (append) => carry('append', append),
      read: async (run, after) => (await carry('read', { run, after })).chunks,
      follow,
    },
    dispatch: {
      create: (run) => carry('create', run),
      claim: (request) => carry('claim', request),
      renew: (fences, lease) => carry('renew', { fences, lease }),
      release: (request) => carry('release', request),
      handBack: (fence) => carry('handBack', fence),
      get: (run) => carry('get', run),
      list: (filter) => carry('list', filter),
      hold: (fence, name) => carry('hold', { fence, name }),
      letGo: (fence, name) => carry('letGo', { fence, name }),
      erase: (run) => carry('erase', run),
    },
    mailbox: {
      send: (command) => carry('send', command),
      pending: (run) => carry('pending', run),
    },
    blobs: {
      put: (owner, text) => carry('put', { owner, text }),
      get: (tenant, blob) => carry('blob', { tenant, blob }),
    },
  };
}

/** The run an operation is about; undefined when it is about no single one. */
export function runOfOperation<Name extends Operation>(
  name: Name,
  argument: Argument<Name>,
): string | undefined {
  if (name === 'claim' || name === 'renew' || name === 'list' || name === 'blob') return undefined;
  const about: Argument<Operation> = argument;
  if (typeof about === 'string') return about;
  if ('fence' in about) return about.fence.run;
  if ('owner' in about) return about.owner.run;
  return 'run' in about ? about.run : undefined;
}
