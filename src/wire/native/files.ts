import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { after, limit } from './query.ts';

/** In bytes. */
export const largestFile = 20 * 1024 * 1024;

/** A file that was sent. */
export const KeptFile = z.object({ file: z.string(), name: z.string(), type: z.string(), size: z.int() });
export type KeptFile = z.infer<typeof KeptFile>;

/** A file in a list: since when you have it, and in how many conversations you use it. */
export const ListedFile = KeptFile.extend({ at: z.number(), uses: z.int() });
export type ListedFile = z.infer<typeof ListedFile>;

export const listFiles = endpoint({
  method: 'GET',
  path: '/api/files',
  about:
    'The files that you have sent or attached, the newest first. With the last conversation in which you use it a file goes.',
  tag: 'files',
  role: 'viewer',
  addresses: 'tenant',
  query: z.strictObject({ after, limit }),
  answers: {
    200: {
      about: 'A page of files.',
      schema: z.object({ files: z.array(ListedFile), next: z.string().nullable() }),
    },
  },
});

export const keepFile = endpoint({
  method: 'POST',
  path: '/api/files',
  about: 'Keep a file: the body is its bytes, «Content-Type» says what it is.',
  tag: 'files',
  role: 'member',
  addresses: 'tenant',
  query: z.strictObject({ name: z.string().min(1).max(200).optional() }),
  body: 'bytes',
  bodyLimit: largestFile,
  answers: {
    201: { about: 'It is kept. The same file again is the same file.', schema: KeptFile },
    413: { about: `It has more than ${largestFile} bytes.` },
  },
});

export const readFile = endpoint({
  method: 'GET',
  path: '/api/files/:file',
  about:
    'The bytes of a file that you sent, or of a conversation that you may see, or of anything large that a run you may see keeps beside its journal.',
  tag: 'files',
  role: 'viewer',
  addresses: 'file',
  answers: { 200: { about: 'The bytes, to be saved.', type: '*/*' } },
});

export const eraseFile = endpoint({
  method: 'DELETE',
  path: '/api/files/:file',
  about:
    'Erase a file of yours. What runs have taken from it stays with them, and others who have it keep it.',
  tag: 'files',
  role: 'member',
  addresses: 'file',
  answers: {
    204: { about: 'You have it no more.' },
    403: { about: 'Others have sent it.' },
    409: { about: 'It is no file of its own: a run keeps it.' },
  },
});
