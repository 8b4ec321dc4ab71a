import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { Application, ApplicationChange, ApplicationParts, NewApplication } from '../../wire/applications.ts';
import { whole } from '../../wire/native/query.ts';
import { route } from '../routes/route.ts';
import { keepPart } from '../runs/files.ts';
import { withinQuota } from '../runs/quotas.ts';
import {
  allApplications,
  changeApplication,
  createApplication,
  eraseApplication,
  foundApplication,
  publishApplication,
  save,
  unpublishApplication,
} from './applications.ts';

const base = '/api/applications';
const shared = { tag: 'applications', role: 'member', addresses: 'tenant' } as const;
const told = { 200: { about: 'The application, as it is then.', schema: Application } };
const notReady = { 400: { about: 'It does not fit, or lacks something: each thing is named.' } };

const List = z.object({
  page: z.int(),
  page_size: z.int(),
  total: z.int(),
  stats: z.object({ total: z.int(), published: z.int(), draft: z.int(), errors: z.int() }),
  items: z.array(Application),
});

const largestLogo = 1024 * 1024;

export const applicationRoutes = [
  route({
    ...shared,
    method: 'POST',
    path: base,
    about: 'Make an application. It needs a name, and is a draft until it is published.',
    body: NewApplication,
    answers: { 201: { about: 'The draft.', schema: Application }, ...notReady },
    async handle({ context, caller, body }) {
      return { status: 201, json: (await createApplication(context, caller, body)).told };
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: base,
    role: 'viewer',
    about: 'The applications there are for you, the newest change first: those of the configuration too.',
    query: z.strictObject({
      status: z.enum(['draft', 'published', 'error']).optional(),
      q: z.string().max(200).optional(),
      sort: z.enum(['recently_updated', 'name']).optional(),
      page: whole(1, 10_000).optional(),
      pageSize: whole(1, 100).optional(),
    }),
    answers: { 200: { about: 'A page of them, and how many there are.', schema: List } },
    async handle({ context, caller, query: { status, q = '', sort, page = 1, pageSize = 20 } }) {
      const all = await allApplications(context, caller);
      const wanted = q.toLowerCase();
      const items = all
        .filter((one) => status === undefined || one.status === status)
        .filter((one) => `${one.name} ${one.description}`.toLowerCase().includes(wanted));
      if (sort === 'name') items.sort((one, other) => one.name.localeCompare(other.name));
      const count = (of: Application['status']): number => all.filter((one) => one.status === of).length;
      const stats = {
        total: all.length,
        published: count('published'),
        draft: count('draft'),
        errors: count('error'),
      };
      const from = (page - 1) * pageSize;
      const shown = items.slice(from, from + pageSize);
      return { status: 200, json: { page, page_size: pageSize, total: items.length, stats, items: shown } };
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: `${base}/:app`,
    role: 'viewer',
    about: 'An application, with what it still needs to be published.',
    answers: told,
    async handle({ context, caller, params: { app = '' } }) {
      return { status: 200, json: (await foundApplication(context, caller, app)).told };
    },
  }),
  route({
    ...shared,
    method: 'PUT',
    path: `${base}/:app`,
    about: 'Change an application. What is published stays so, as it is then.',
    body: ApplicationChange,
    answers: { ...told, ...notReady, 409: { about: 'Somebody else changed it meanwhile.' } },
    async handle({ context, caller, params: { app: name = '' }, body: change }) {
      return { status: 200, json: (await changeApplication(context, caller, { name, change })).told };
    },
  }),
  ...Object.entries(ApplicationParts).map(([part, body]) =>
    route({
      ...shared,
      method: 'PATCH',
      path: `${base}/:app/${part}`,
      about: `Change a part of an application: ${Object.keys(body.shape).join(', ')}. What is null stays.`,
      body: body as z.ZodType<ApplicationChange>,
      answers: { ...told, ...notReady, 409: { about: 'Somebody else changed it meanwhile.' } },
      async handle({ context, caller, params: { app: name = '' }, body: change }) {
        return { status: 200, json: (await changeApplication(context, caller, { name, change })).told };
      },
    }),
  ),
  route({
    ...shared,
    method: 'DELETE',
    path: `${base}/:app`,
    about: 'Erase an application. Its runs keep what they began with.',
    answers: { 204: { about: 'It is gone.' }, 409: { about: 'It is the configuration’s.' } },
    async handle({ context, caller, params: { app: name = '' } }) {
      await eraseApplication(context, caller, name);
      return { status: 204 };
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${base}/:app/publish`,
    about: 'Let people use it. What it lacks is named, each thing of it.',
    answers: { ...told, ...notReady },
    async handle({ context, caller, params: { app = '' } }) {
      return { status: 200, json: (await publishApplication(context, caller, app)).told };
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${base}/:app/unpublish`,
    about: 'Nobody can begin anything with it any more; what has begun goes on.',
    answers: { ...told, 409: { about: 'It is the configuration’s.' } },
    async handle({ context, caller, params: { app = '' } }) {
      return { status: 200, json: (await unpublishApplication(context, caller, app)).told };
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${base}/:app/logo`,
    about: 'Its logo: the body is a picture (PNG, JPEG, GIF or WebP), at most a megabyte.',
    body: 'bytes',
    bodyLimit: largestLogo,
    answers: { ...told, 400: { about: 'It is no picture.' } },
    async handle({ context, caller, params: { app = '' }, body }) {
      const found = await foundApplication(context, caller, app);
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      const type = pictureType(bytes);
      const { tenant } = caller;
      const logo = await withinQuota(context, { tenant, bytes: bytes.length }, () =>
        keepPart(context.home.store.blobs, tenant, { name: 'logo', type, bytes }),
      );
      const { settings } = found.body;
      const chat = { ...settings.chat, logo };
      const saved = await save(context, caller, {
        ...found,
        body: { ...found.body, settings: { ...settings, chat } },
      });
      return { status: 200, json: saved.told };
    },
  }),
];

const pictures = [
  ['image/png', '89504e47'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['image/webp', '52494646'],
] as const;

/** What a picture is, by how it begins: what the sender says of it is not believed. */
function pictureType(bytes: Buffer): string {
  const head = bytes.subarray(0, 4).toString('hex');
  const [type] = pictures.find(([, magic]) => head.startsWith(magic)) ?? [];
  if (type) return type;
  throw new RunError('malformed', 'The body is no picture: send a PNG, JPEG, GIF or WebP.');
}
