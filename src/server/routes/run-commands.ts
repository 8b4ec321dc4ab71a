import { resumeCommand } from '../../flows/converse/resume.ts';
import { Command } from '../../run/commands.ts';
import { RunError } from '../../run/failure.ts';
import { expectFirstPause, goOn, ResumeRequest } from '../../run/tool-pause.ts';
import type { RunRow } from '../../stores/store.ts';
import { Commanded, pauseRun, resumeRun, sendMessage, stopRun } from '../../wire/native/commands.ts';
import { expectDecider } from '../access/deciders.ts';
import { attachmentsOf, sizeOf, usesFiles } from './start-run.ts';
import type { Outcome } from '../../front/command-run.ts';
import { sameAgain, stopOf } from '../../front/same-again.ts';
import type { ServerContext } from '../context.ts';
import { withinQuota } from '../runs/quotas.ts';
import { idempotencyKeyIn, route, type Reply, type Route } from './route.ts';

/** The run is what was asked for already. */
const already: ReadonlySet<string> = new Set(['ALREADY_PAUSED', 'NOT_PAUSED', 'ALREADY_STOPPING']);

const steering = [
  ['pause', pauseRun],
  ['resume', resumeRun],
  ['stop', stopRun],
] as const;

export const commandRoutes: readonly Route[] = [
  ...steering.map(([type, endpoint]) =>
    route({
      ...endpoint,
      async handle({ context, caller, subject, body, header }) {
        const key = idempotencyKeyIn(header);
        const again = type === 'stop' ? stopOf(subject.run) : key && sameAgain(type, caller.who, key);
        const asked = { type, by: caller.who, reason: body.reason };
        const batch = ResumeRequest.strip().safeParse(body).data;
        const { command, id } = await meant(context, subject, { asked, batch, isKeyed: key !== undefined });
        if (command.type === 'decide')
          await expectDecider(context, caller, { row: subject, question: command.approval });
        const sent = { command, id: id ?? again ?? context.newId('command') };
        return told(subject.run, await context.home.front.command(subject, sent));
      },
    }),
  ),
  route({
    ...sendMessage,
    async handle({ context, caller, subject, body, header }) {
      const key = idempotencyKeyIn(header);
      const { tenant, who } = caller;
      const attachments = await attachmentsOf(context, caller, body.attachments);
      const id = key === undefined ? context.newId('command') : sameAgain('message', who, key);
      const more = attachments.length > 0 ? { attachments } : {};
      const command: Command = { type: 'message', by: who, text: body.text, ...more };
      const bytes = sizeOf({ text: body.text, attachments });
      const outcome = await withinQuota(context, { tenant, bytes }, () =>
        context.home.front.command(subject, { command, id }),
      );
      const { conversation } = subject;
      await usesFiles(context, caller, { conversation, attachments: body.attachments });
      expectSame(outcome.receipt.command, context.home.secrets.cleanAll(command));
      const reply = told(subject.run, outcome);
      const json = { ...Commanded.parse(reply.json), message: id };
      return { ...reply, status: reply.status === 200 ? 201 : reply.status, json };
    },
  }),
];

interface Asked {
  readonly asked: Extract<Command, { type: 'pause' | 'resume' | 'stop' }>;
  readonly batch: ResumeRequest | undefined;
  /** Whether it can be told from one that is sent again. */
  readonly isKeyed: boolean;
}

/** To resume is to let go on what waits after a tool phase, where nothing else is paused. */
async function meant(
  context: ServerContext,
  row: RunRow,
  { asked, batch, isKeyed }: Asked,
): Promise<{ readonly command: Command; readonly id?: string }> {
  if (asked.type !== 'resume' || (row.state === 'ended' && !batch)) return { command: asked };
  const { by, reason: rationale } = asked;
  const tree = await context.trees.of(row);
  const { command, ...id } = batch
    ? resumeCommand(tree, { run: row.run, by, ...batch })
    : { command: goOn(tree, by) };
  if (command.type !== 'decide') return { command: asked };
  if (!batch && !isKeyed) expectFirstPause(tree, row.run);
  return { command: { ...command, rationale }, ...id };
}

/** The same key again is the same message. */
function expectSame(earlier: Command, command: Command): void {
  const said = (one: Command): string => JSON.stringify({ ...Command.parse(one), by: '' });
  if (said(earlier) === said(command)) return;
  throw new RunError('rejected', 'The idempotency key was used for another message: use another key.');
}

function told(run: string, { receipt, entry }: Outcome): Reply {
  if (receipt.used === null) return { status: 202, json: { run, seq: null, changed: false } };
  const seq = receipt.used;
  if (entry?.event.type !== 'notice.posted') return { status: 200, json: { run, seq, changed: true } };
  if (already.has(entry.event.code)) return { status: 200, json: { run, seq, changed: false } };
  throw new RunError('rejected', entry.event.message);
}
