import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { UploadedDocument } from '../../wire/applications.ts';
import { largestDocument } from '../../wire/native/documents.ts';
import { appFor } from '../apps/apps-for.ts';
import { conversationOf } from '../doors/conversation.ts';
import { route } from '../routes/route.ts';
import { bringDocument } from '../runs/bring-document.ts';
import { missing } from '../runs/quotas.ts';
import { inUse, newestRun } from './sessions.ts';

/** A document, and the session it is for, where that was said. */
interface Sent {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly session: string | undefined;
}

/** What a form says besides its file, in bytes. */
const aroundForm = 64 * 1024;

export const uploadRoutes = [
  route({
    method: 'POST',
    path: '/api/applications/:app/chat/upload',
    about:
      'Bring a document into a session, for the application to search: a form with «file» and «session_id», or its bytes.',
    tag: 'applications',
    role: 'member',
    addresses: 'tenant',
    query: z.strictObject({
      name: z.string().min(1).max(200).optional(),
      session_id: z.string().min(1).max(200).optional(),
    }),
    body: 'bytes',
    bodyLimit: largestDocument + aroundForm,
    answers: {
      201: {
        about: 'It is kept, and is being read. Go on with the session it names.',
        schema: UploadedDocument,
      },
      409: { about: 'The application takes no documents.' },
      413: { about: `It has more than ${largestDocument} bytes, or than this server allows.` },
    },
    async handle({ context, caller, params: { app = '' }, query, body, header }) {
      const said = await inUse(await appFor(context, caller, app));
      if (!said) throw missing('application', app);
      if (!said.settings.retrieval.uploads)
        throw new RunError(
          'rejected',
          `«${app}» takes no documents: its maker can allow it with «upload_enabled».`,
        );
      const { session = `upload-${crypto.randomUUID()}`, ...document } = await sentIn({
        bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
        type: header('content-type') ?? '',
        query,
      });
      const { id: conversation } = await conversationOf({ context, caller }, session);
      // A session of somebody else is not there.
      await newestRun({ context, caller, app }, conversation);
      const { tenant, who: by } = caller;
      const kept = await bringDocument(context, { tenant, conversation, by }, document);
      const json = { session_id: session, document_id: kept.file, filename: kept.name, status: kept.state };
      return { status: 201, json };
    },
  }),
];

interface Given {
  readonly bytes: Buffer;
  readonly type: string;
  readonly query: { readonly name?: string | undefined; readonly session_id?: string | undefined };
}

async function sentIn({ bytes, type, query }: Given): Promise<Sent> {
  const { name, session_id: session } = query;
  if (!type.startsWith('multipart/form-data')) {
    if (name === undefined)
      throw new RunError('malformed', 'The query does not fit: name: say what the document is called.');
    return { name, type, bytes, session };
  }
  const form = await formIn(bytes, type);
  const [file, named] = [form.get('file'), form.get('session_id')];
  if (!(file instanceof File))
    throw new RunError('malformed', 'The form does not fit: file: put the document there.');
  return {
    name: name ?? file.name,
    type: file.type,
    bytes: Buffer.from(await file.arrayBuffer()),
    session: typeof named === 'string' && named !== '' ? named : session,
  };
}

async function formIn(bytes: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  } catch (cause) {
    throw new RunError('malformed', 'The body is no form: send multipart/form-data with its boundary.', {
      cause,
    });
  }
}
