import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** In bytes; a server may allow less. */
export const largestDocument = 50 * 1024 * 1024;

/** A document that somebody brought into a conversation, and whether it can be searched. */
export const BroughtDocument = z.object({
  file: z.string(),
  name: z.string(),
  type: z.string(),
  size: z.int(),
  at: z.number(),
  state: z.enum(['pending', 'processing', 'ready', 'failed']),
  /** Why it failed, in a sentence. */
  why: z.string().optional(),
});
export type BroughtDocument = z.infer<typeof BroughtDocument>;

export const bringDocument = endpoint({
  method: 'POST',
  path: '/api/conversations/:name/documents',
  about:
    'Bring a document into a conversation, for applications that search them: the body is its bytes, its name says what it is. A conversation may begin with it, under a name of your own.',
  tag: 'conversations',
  role: 'member',
  addresses: 'tenant',
  query: z.strictObject({ name: z.string().min(1).max(200) }),
  body: 'bytes',
  bodyLimit: largestDocument,
  answers: {
    201: { about: 'It is kept, and is being read.', schema: BroughtDocument },
    404: { about: 'There is no such conversation.' },
    413: { about: `It has more than ${largestDocument} bytes, or than this server allows.` },
  },
});

export const listDocuments = endpoint({
  method: 'GET',
  path: '/api/conversations/:name/documents',
  about: 'The documents of a conversation, and how they stand.',
  tag: 'conversations',
  role: 'viewer',
  addresses: 'tenant',
  answers: {
    200: { about: 'All of them.', schema: z.object({ documents: z.array(BroughtDocument) }) },
    404: { about: 'There is no such conversation.' },
  },
});
