import { misfitOfFields, type Command } from '../../run/commands.ts';
import { decisionTold } from '../../run/decided.ts';
import { isForAnother } from '../../run/deciders.ts';
import type { RunEvent } from '../../run/events.ts';
import { waitingForPerson } from '../../run/notices.ts';
import type { Approval, RunTree } from '../../run/tree.ts';
import type { BlobRef, Json } from '../../run/values.ts';
import type { SentCommand } from '../../stores/store.ts';

type Decide = Extract<Command, { type: 'decide' }>;
type Notice = Extract<RunEvent, { type: 'notice.posted' }>;
type Lapse = Extract<Command, { type: 'lapse' }>;

/** What only the run itself knows about a decision. */
export interface Judge {
  /** Why what the person gave cannot be used. */
  misfit(approval: Approval, command: Decide): string | undefined;
  /** Of what will run after an edit. */
  fingerprint(approval: Approval, edited: Json): string;
  /** What will run after an edit, as an entry carries it. */
  readonly edited?: BlobRef | Json | undefined;
}

/**
 * The one entry a command becomes. A command that comes too late, or asks for what cannot be, becomes a notice: it is
 * never dropped, and whoever sent it can see what became of it.
 */
export function entryFor(sent: SentCommand, tree: RunTree, judge: Judge): RunEvent {
  const event = eventFor(sent, tree, judge);
  return event.type === 'notice.posted' ? { ...event, command: sent.id } : event;
}

function eventFor({ id, command }: SentCommand, tree: RunTree, judge: Judge): RunEvent {
  const by = { by: command.by, command: id };
  switch (command.type) {
    case 'pause':
      if (tree.paused) return notice('ALREADY_PAUSED', `${command.by} asked to pause a run that is paused.`);
      return { type: 'run.paused', ...by, reason: command.reason };
    case 'resume':
      if (!tree.paused)
        return notice('NOT_PAUSED', `${command.by} asked to resume a run that is not paused.`);
      return { type: 'run.resumed', ...by, reason: command.reason };
    case 'stop':
      if (tree.stopping)
        return notice('ALREADY_STOPPING', `${command.by} asked to stop a run that is stopping.`);
      return { type: 'stop.requested', ...by, reason: command.reason };
    case 'message':
      return {
        type: 'message.queued',
        message: id,
        text: command.text,
        attachments: command.attachments,
        ...by,
      };
    case 'decide':
      return decided({ id, command }, tree, judge);
    case 'lapse':
      return lapsed({ id, command }, tree);
    case 'tell':
      return { ...notice(waitingForPerson, command.message), step: command.step };
  }
}

function decided(
  { id, command }: { readonly id: string; readonly command: Decide },
  tree: RunTree,
  judge: Judge,
): RunEvent {
  const approval = tree.approvals.get(command.approval);
  if (!approval) return notice('UNKNOWN_APPROVAL', `There is no approval ${command.approval} in this run.`);
  const refusal =
    secondPersonOf(command, tree, approval) ??
    refusalOf(command, approval) ??
    misfitNotice(judge.misfit(approval, command));
  if (refusal) return { ...refusal, step: approval.step };
  const edited = command.decision === 'edit' ? command.arguments : undefined;
  return {
    type: 'approval.decided',
    approval: command.approval,
    decision: command.decision,
    by: command.by,
    command: id,
    shown: approval.fingerprint,
    rationale: command.rationale,
    answer: command.answer,
    until: command.until,
    arguments: edited === undefined ? undefined : (judge.edited ?? edited),
    fingerprint: edited === undefined ? undefined : judge.fingerprint(approval, edited),
  };
}

/** What a second person shall look at is not for the first one to decide, wherever they come from. */
function secondPersonOf({ by }: Decide, { started }: RunTree, asked: Approval): Notice | undefined {
  if (!isForAnother(started, asked, by)) return undefined;
  return notice('DECISION_REFUSED', `${by} started this run: a second person has to decide.`);
}

function lapsed({ id, command }: { readonly id: string; readonly command: Lapse }, tree: RunTree): RunEvent {
  const { approval: name, reason } = command;
  const approval = tree.approvals.get(name);
  if (!approval) return notice('UNKNOWN_APPROVAL', `There is no approval ${name} in this run.`);
  const late = tooLate(`Approval ${name} was to lapse (${reason})`, approval);
  if (late) return { ...late, step: approval.step };
  const { fingerprint } = approval;
  return { type: 'approval.lapsed', approval: name, fingerprint, reason, command: id };
}

function tooLate(what: string, { decided, lapsedAt, lapsedBecause }: Approval): Notice | undefined {
  if (lapsedAt !== undefined) {
    const why = lapsedBecause === undefined ? '' : `: ${lapsedBecause}`;
    const when = new Date(lapsedAt).toISOString();
    return notice('LATE_DECISION', `${what}, but nobody waits for it since ${when}${why || '.'}`);
  }
  if (!decided) return undefined;
  return notice('LATE_DECISION', `${what}, but before that ${decisionTold(decided)}.`);
}

function refusalOf(command: Decide, approval: Approval): Notice | undefined {
  const late = tooLate(`${command.by} decided «${command.decision}»`, approval);
  if (late) return late;
  const misfit = misfitOfFields(command);
  if (misfit) return notice('DECISION_REFUSED', misfit.message);
  if (command.fingerprint !== undefined && command.fingerprint !== approval.fingerprint) {
    return notice('DECISION_REFUSED', `${command.by} decided on something other than what is asked now.`);
  }
  if (!approval.allowed.includes(command.decision)) {
    const allowed = approval.allowed.join(', ');
    return notice('DECISION_REFUSED', `«${command.decision}» is not allowed here; allowed: ${allowed}.`);
  }
  return undefined;
}

function misfitNotice(misfit: string | undefined): Notice | undefined {
  return misfit === undefined ? undefined : notice('DECISION_REFUSED', misfit);
}

function notice(code: string, message: string): Notice {
  return { type: 'notice.posted', step: 0, code, message };
}
