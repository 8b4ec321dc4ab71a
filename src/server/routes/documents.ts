import * as native from '../../wire/native/documents.ts';
import { typeIn } from '../runs/files.ts';
import { withinQuota } from '../runs/within-quota.ts';
import { route } from './route.ts';

export const documentRoutes = [
  route({
    ...native.bringDocument,
    async handle({ context, caller: { tenant }, subject: { conversation }, query, body, header }) {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      context.quotas.file(bytes.length);
      const { secrets, uploads } = context.home;
      const name = secrets.clean(query.name);
      const type = typeIn(secrets.clean(header('content-type') ?? ''));
      const json = await withinQuota(context, { tenant, bytes: bytes.length }, () =>
        uploads.add({ tenant, conversation }, { name, type, bytes }),
      );
      return { status: 201, json };
    },
  }),
  route({
    ...native.listDocuments,
    async handle({ context, caller: { tenant }, subject: { conversation } }) {
      const documents = await context.home.uploads.list({ tenant, conversation });
      return { status: 200, json: { documents } };
    },
  }),
];
