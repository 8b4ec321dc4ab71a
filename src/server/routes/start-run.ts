import { createHash } from 'node:crypto';
import { z } from 'zod';
import { decodeAll } from '../../run/codec.ts';
import type { EventOf } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { defaultLimits } from '../../run/limits.ts';
import { StartedRun } from '../../run/native-api.ts';
import { isBlobRef, Limits, type Attachment } from '../../run/values.ts';
import type { Caller } from '../caller.ts';
import { fileOf } from '../files.ts';
import { appNamed, type App } from '../home.ts';
import { expectOpen, type House } from '../house.ts';
import { missing } from '../owner.ts';
import { route } from './route.ts';
import { idempotencyKeyIn } from './shapes.ts';

/** What comes with a message: a file that was sent before, or a small thing itself. */
export const GivenAttachment = z
  .strictObject({
    file: z.string().exactOptional(),
    type: z.string().min(1).max(200).exactOptional(),
    title: z.string().max(500).exactOptional(),
    data: z.string().exactOptional(),
    url: z.url({ protocol: /^https?$/ }).exactOptional(),
  })
  .refine(({ file, data, url }) => [file, data, url].filter((way) => way !== undefined).length === 1, {
    error: 'give exactly one of «file», «data» and «url»',
  });

export const StartRun = z.strictObject({
  app: z.string().min(1).max(100).exactOptional(),
  input: z.strictObject({
    text: z.string().min(1).max(1_000_000),
    attachments: z.array(GivenAttachment).max(50).exactOptional(),
  }),
  conversation: z.string().min(1).max(200).exactOptional(),
  /** Less than the app allows; more is not given. */
  limits: z.strictObject(Limits.shape).exactOptional(),
  labels: z
    .record(z.string().min(1).max(100), z.string().max(1_000))
    .refine((labels) => Object.keys(labels).length <= 50, { error: 'give at most 50' })
    .exactOptional(),
});
export type StartRun = z.infer<typeof StartRun>;

export const startRoutes = [
  route({
    method: 'POST',
    path: '/api/runs',
    about: 'Start a run. With an «Idempotency-Key» header, asking again gives the same run.',
    tag: 'runs',
    role: 'member',
    addresses: 'tenant',
    body: StartRun,
    answers: {
      201: { about: 'It has begun, and is durable.', schema: StartedRun },
      409: { about: 'The idempotency key was used for something else.' },
    },
    async handle({ house, caller, body, header }) {
      const key = idempotencyKeyIn(header);
      const started = await startRun(house, caller, { ...body, ...(key === undefined ? {} : { key }) });
      const { run, conversation } = started;
      return {
        status: 201,
        json: { run, conversation, events: `/api/runs/${run}/events` },
        headers: { location: `/api/runs/${run}` },
      };
    },
  }),
];

/** Start a run for somebody, within what they may have. */
export async function startRun(
  house: House,
  { tenant, who }: Caller,
  { app: name, input, conversation, limits = {}, labels, key }: StartRun & { readonly key?: string },
): Promise<{ readonly run: string; readonly conversation: string }> {
  expectOpen(house);
  const app = appNamed(house.home.apps, name ?? defaultAppOf(house));
  if (conversation !== undefined) await expectConversation(house, tenant, conversation);
  await expectRoom(house, tenant);
  const attachments = await Promise.all(
    (input.attachments ?? []).map((one) => attachmentOf(house, tenant, one)),
  );
  const started = await house.home.engine.start({
    app: app.name,
    flow: app.flow,
    input: { text: input.text, ...(attachments.length > 0 ? { attachments } : {}) },
    limits: lowered(app, limits),
    caller: { tenant, who, ...(key === undefined ? {} : { idempotencyKey: key }) },
    ...(conversation === undefined ? {} : { conversation }),
    ...(labels ? { labels } : {}),
  });
  if (!started.created) await expectSame(house, started.run, { app: app.name, text: input.text });
  return { run: started.run, conversation: started.conversation };
}

function defaultAppOf({ defaultApp, home }: House): string {
  if (defaultApp !== undefined) return defaultApp;
  const known = home.apps.map((app) => app.name).join(', ');
  throw new RunError('malformed', `Say which app: «app» is one of ${known}.`);
}

async function expectConversation(house: House, tenant: string, conversation: string): Promise<void> {
  const [known] = await house.home.dispatch.list({ tenant, conversation, limit: 1 });
  if (!known) throw missing('conversation', conversation);
}

/** A tenant that begins more than it ends would in time leave no room for the others. */
async function expectRoom(house: House, tenant: string): Promise<void> {
  const { runs } = house.quotas;
  const unfinished = await house.home.dispatch.list({ tenant, unfinished: true, limit: runs });
  if (unfinished.length < runs) return;
  const message = `This is more than your share: ${runs} runs have not ended; stop some, or wait.`;
  throw new RunError('over-budget', message, { retryable: true });
}

export async function attachmentOf(
  house: House,
  tenant: string,
  { file, type, ...rest }: z.infer<typeof GivenAttachment>,
): Promise<Attachment> {
  if (file === undefined) return { type: type ?? 'text/plain', ...rest };
  const found = await fileOf(house.home.blobs, tenant, file);
  if (!found) throw missing('file', file);
  const isText = found.type.startsWith('text/') || found.type === 'application/json';
  const data = found.bytes.toString(isText ? 'utf8' : 'base64');
  return { type: type ?? found.type, title: found.name, ...rest, data };
}

/** Whoever asks may want less than the app allows, and gets no more. */
function lowered({ limits: allowed }: App, wanted: Limits): Limits {
  const names = ['turns', 'calls', 'tokens', 'depth', 'seconds'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const most = allowed[name] ?? defaultLimits[name];
      const chosen = Math.min(most, wanted[name] ?? most);
      return allowed[name] === undefined && wanted[name] === undefined ? [] : [[name, chosen]];
    }),
  );
}

async function expectSame(
  house: House,
  run: string,
  wanted: { readonly app: string; readonly text: string },
): Promise<void> {
  const [chunk] = await house.home.journal.read(run, 0);
  const first = chunk && decodeAll(chunk.frames)[0]?.event;
  if (first?.type === 'run.started' && first.app === wanted.app && isSameText(first, wanted.text)) return;
  throw new RunError(
    'rejected',
    `The idempotency key began run ${run}, which was asked something else: use another key.`,
  );
}

function isSameText({ input }: EventOf<'run.started'>, text: string): boolean {
  if (!isBlobRef(input.text)) return input.text === text;
  const whole = JSON.stringify(text).toWellFormed();
  return input.text.blob === createHash('sha256').update(whole).digest('hex');
}
