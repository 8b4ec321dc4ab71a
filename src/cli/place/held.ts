import { vitrineClient } from '../../client/client.ts';
import { workflowsClient } from '../../client/workflows.ts';
import { ownersWay } from '../../server/access/door.ts';
import { tenantHeader } from '../../server/folder/reach-folder.ts';
import type { Hosted } from '../../server/host.ts';
import { fetchWithin } from '../../server/http/in-process.ts';
import { askedOver, type AddressFor } from './asked-over.ts';
import type { TerminalHome } from './terminal-home.ts';

/** A folder that this process holds: asked as by any other, over a connection in memory. */
export function heldFolder({ app, context, ways, notices, close }: Hosted): TerminalHome {
  const addressFor: AddressFor = (tenant) => {
    const callerOf = (): ReturnType<typeof ownersWay.callerOf> =>
      ownersWay.callerOf({ [tenantHeader]: tenant });
    return { url: 'http://localhost', fetch: fetchWithin(app.server, ways, { ...ownersWay, callerOf }) };
  };
  const workflows = workflowsClient(addressFor());
  const appList: TerminalHome['appList'] = () => vitrineClient(addressFor()).apps();
  return { ...context.home, notices, close, workflows, appList, ...askedOver(addressFor, context.home) };
}
