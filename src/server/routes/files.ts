import { RunError } from '../../run/failure.ts';
import * as native from '../../wire/native/files.ts';
import type { ListedFile } from '../../wire/native/files.ts';
import { safeName, typeIn } from '../runs/files.ts';
import { pageSize } from '../../wire/native/query.ts';
import { withinQuota } from '../runs/quotas.ts';
import { route } from './route.ts';

/** What a browser may show. All else, and these too, are handed over as downloads. */
const harmless = /^(text\/(plain|csv|markdown)|application\/(json|pdf)|image\/(png|jpeg|gif|webp))$/;

export const fileRoutes = [
  route({
    ...native.listFiles,
    async handle({ context, caller: { tenant, who }, query: { after, limit = pageSize } }) {
      const all = await context.home.uploads.files.list({ tenant, by: who });
      const left = after === undefined ? all : all.filter((file) => placeOf(file) < placeIn(after));
      const files = left.slice(0, limit);
      const last = left.length > limit ? files.at(-1) : undefined;
      return { status: 200, json: { files, next: last ? placeOf(last) : null } };
    },
  }),
  route({
    ...native.keepFile,
    async handle({ context, caller: { tenant, who }, source, query: { name = 'file' }, body, header }) {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      if (bytes.length === 0)
        throw new RunError('malformed', 'The file is empty: send its bytes as the body.');
      context.quotas.file(bytes.length);
      const { secrets } = context.home;
      const type = typeIn(secrets.clean(header('content-type') ?? ''));
      const kept = safeName(secrets.clean(name));
      const file = await withinQuota(context, { tenant, bytes: bytes.length }, () =>
        context.home.uploads.files.keep({ tenant, by: who, at: context.now() }, { name: kept, type, bytes }),
      );
      const json = { file, name: kept, type, size: bytes.length };
      return { status: 201, json, headers: { location: `${source.prefix}/api/files/${file}` } };
    },
  }),
  route({
    ...native.readFile,
    handle({ context, subject: { name, type, bytes: content } }) {
      const { clean } = context.home.secrets;
      return {
        status: 200,
        bytes: { type: harmless.test(type) ? type : 'application/octet-stream', content },
        headers: {
          'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(safeName(clean(name)))}`,
        },
      };
    },
  }),
  route({
    ...native.eraseFile,
    async handle({ context, caller: { tenant, who: by }, subject: { id, isSent, isTheirs } }) {
      if (!isSent)
        throw new RunError(
          'rejected',
          'A run keeps this: it goes when the conversation of the run is erased.',
        );
      if (!isTheirs) throw new RunError('refused', 'Others have sent this: it is there until they erase it.');
      await context.home.uploads.files.erase({ tenant, by }, id);
      return { status: 204 };
    },
  }),
];

/** Where a list goes on after a file, also once that is gone: places are in the order of letters. */
function placeOf({ at, file }: ListedFile): string {
  return `${String(at).padStart(15, '0')}.${file}`;
}

function placeIn(after: string): string {
  if (/^\d{15}\.[0-9a-f]{64}$/.test(after)) return after;
  throw new RunError('malformed', `«${after.slice(0, 100)}» is no place in this list: begin without one.`);
}
