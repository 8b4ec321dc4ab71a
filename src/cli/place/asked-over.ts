import { askFor } from '../../client/ask.ts';
import { vitrineClient, type Client, type ServerAddress } from '../../client/client.ts';
import { present } from '../../run/present.ts';
import type { Control, FolderReader } from '../../server/folder/home.ts';
import { takeUpRun } from '../../wire/native/folder.ts';
import { treeOf } from './find.ts';
import { decidedIn, sent } from './sent.ts';

/** How whoever has a folder is asked; for another tenant than the owner's own where one is said. */
export type AddressFor = (tenant?: string) => ServerAddress;

/**
 * What a terminal asks of a folder, through the client, whoever has it: another process, over the socket in the folder, or
 * this one, over a connection in memory.
 */
export function askedOver(addressFor: AddressFor, reader: FolderReader): Control {
  /** Of the tenant whose run it is: whoever has the folder has what is in it. */
  const addressOf = async (run: string): Promise<ServerAddress> =>
    addressFor((await reader.dispatch.get(run))?.tenant);
  const clientFor = async (run: string): Promise<Client> => vitrineClient(await addressOf(run));
  return {
    async start({ app, text, conversation, key }) {
      const said = { app, text, idempotencyKey: key, ...present({ conversation }) };
      const begun = await vitrineClient(addressFor()).start(said);
      return { run: begun.run, conversation: begun.conversation };
    },
    async send(run, command) {
      const seq = await sent(await clientFor(run), run, command);
      const used = seq ?? decidedIn(await treeOf(reader, run), command);
      return { id: '', used, fresh: true, command };
    },
    takeUp: async (run) => (await askFor(await addressOf(run), takeUpRun, { of: { run } })).taken,
    erase: (conversation, tenant) => vitrineClient(addressFor(tenant)).forget(conversation),
  };
}
