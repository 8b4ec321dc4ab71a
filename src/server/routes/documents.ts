import * as native from '../../wire/native/documents.ts';
import { expectOwnSession } from '../applications/sessions.ts';
import { bringDocument } from '../runs/bring-document.ts';
import { route } from './route.ts';

export const documentRoutes = [
  route({
    ...native.bringDocument,
    async handle({ context, caller, subject: { conversation, newest }, query: { name }, body, header }) {
      expectOwnSession(newest, caller);
      const { tenant } = caller;
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      const type = header('content-type') ?? '';
      const json = await bringDocument(context, { tenant, conversation }, { name, type, bytes });
      return { status: 201, json };
    },
  }),
  route({
    ...native.listDocuments,
    async handle({ context, caller, subject: { conversation, newest } }) {
      expectOwnSession(newest, caller);
      const { tenant } = caller;
      const documents = await context.home.uploads.list({ tenant, conversation });
      return { status: 200, json: { documents } };
    },
  }),
];
