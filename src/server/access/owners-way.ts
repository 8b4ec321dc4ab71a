import { folderOwner, localTenant } from '../../run/owner.ts';
import { tenantHeader } from '../folder/reach-folder.ts';
import type { Caller } from './honest.ts';
import type { WayIn } from './way-in.ts';

export const atThisMachine: Caller = { tenant: localTenant, who: folderOwner, role: 'operator' };

/** Whoever has the folder has what is in it, also what others keep there, and is called so whatever they say. */
export const ownersWay: WayIn = {
  isDirect: true,
  callerOf(headers) {
    const tenant = headers[tenantHeader];
    return { ...atThisMachine, isOwner: true, ...(typeof tenant === 'string' ? { tenant } : {}) };
  },
};

/** The same in this process, for the things of a tenant. */
export function ownersWayFor(tenant: string | undefined): WayIn {
  return { ...ownersWay, callerOf: () => ownersWay.callerOf({ [tenantHeader]: tenant }) };
}
