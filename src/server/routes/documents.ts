import { failureOf } from '../../run/failure.ts';
import * as native from '../../wire/native/documents.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import { expectOwnSession } from '../applications/sessions.ts';
import { bringDocument } from '../runs/bring-document.ts';
import { ownConversation } from '../runs/own-conversation.ts';
import { finders } from '../runs/quotas.ts';
import { route, type RawAsked } from './route.ts';
import { keptConversation } from './start-run.ts';

export const documentRoutes = [
  route({
    ...native.bringDocument,
    async handle({ context, caller, params, query: { name }, body, header, heavy }) {
      const of = await documentsOf({ context, caller, params, heavy });
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      const type = header('content-type') ?? '';
      return {
        status: 201,
        json: await bringDocument(context, { ...of, by: caller.who }, { name, type, bytes }),
      };
    },
  }),
  route({
    ...native.listDocuments,
    async handle({ context, caller, params, heavy }) {
      const of = await documentsOf({ context, caller, params, heavy });
      return { status: 200, json: { documents: await context.home.uploads.list(of) } };
    },
  }),
];

interface Asking extends Pick<RawAsked, 'params' | 'heavy'> {
  readonly context: ServerContext;
  readonly caller: Caller;
}

/** Documents may be there before the first message, where the conversation has a name of the caller's own. */
async function documentsOf(
  asking: Asking,
): Promise<{ readonly tenant: string; readonly conversation: string }> {
  const { context, caller, params } = asking;
  const { tenant } = caller;
  const named = params['name'] ?? '';
  const { id, mayBegin } = ownConversation(caller, named);
  try {
    const { conversation, newest } = await finders.conversation({
      ...asking,
      params: { conversation: named },
    });
    await expectOwnSession(asking, newest);
    return { tenant, conversation };
  } catch (thrown) {
    if (!mayBegin || failureOf(thrown).code !== 'unknown') throw thrown;
    return { tenant, conversation: keptConversation(context, id) };
  }
}
