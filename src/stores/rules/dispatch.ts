import { addFacts, noFacts } from '../../run/facts.ts';
import { RunError } from '../../run/failure.ts';
import { park } from './damage.ts';
import { expectHead, heldBy, makeReady, showRun, tellChange, type Desk, dueAt } from './tables.ts';
import { hearsOfItsTurn, leaveAll, stepBack } from './journal.ts';
import type { Needs } from './needs.ts';
import type {
  Claim,
  Counted,
  Dispatch,
  Fence,
  FlowCount,
  NewRun,
  RunFilter,
  RunRow,
  RunState,
  TenantCount,
  Unfinished,
} from '../store.ts';

export type ClaimRequest = Parameters<Dispatch['claim']>[0];
export type ReleaseRequest = Parameters<Dispatch['release']>[0];

export function create(desk: Desk, wanted: NewRun): { readonly run: string; readonly created: boolean } {
  const { tables, now } = desk;
  const { run, tenant, idempotencyKey, last, frames, claim } = wanted;
  const earlier = idempotencyKey === undefined ? undefined : tables.runWithKey(tenant, idempotencyKey);
  if (earlier !== undefined) return { run: earlier, created: false };
  const same = tables.run(run);
  if (same?.tenant === tenant) return { run, created: false };
  if (same) throw new RunError('rejected', `A run ${run} exists already: create it with an id of its own.`);
  if (last > 0 !== (frames !== ''))
    throw new RunError('malformed', `Run ${run} begins with ${last} entries in ${frames.length} characters.`);
  if (wanted.definition !== undefined && !tables.useBlob({ tenant, run }, wanted.definition))
    throw new RunError('unknown', `The definition of run ${run} is not there any more: it was erased.`);
  if (wanted.replaces !== undefined) takePlace(desk, wanted, wanted.replaces);
  const row = newRow(wanted, now);
  tables.addRun(row, idempotencyKey);
  tellChange(desk, row);
  if (last > 0) tables.addChunk({ run, first: 1, last, frames }, now);
  if (wanted.indexed) tables.addTerms(run, wanted.indexed.terms);
  if (!claim) desk.hints.push({ type: 'ready', run });
  return { run, created: true };
}

/** Each place in a conversation is taken by one run after the other: who comes second is told whose it is. */
function takePlace(desk: Desk, { run, tenant, conversation }: NewRun, replaces: string): void {
  const row = desk.tables.run(replaces);
  if (row?.tenant !== tenant || row.conversation !== conversation)
    throw new RunError('unknown', `There is no run ${replaces} in this conversation.`);
  if (row.state !== 'ended')
    throw new RunError('rejected', `Run ${replaces} has not ended: stop it first, or wait for its end.`);
  if (row.replacedBy !== null) {
    const message = `Run ${replaces} was replaced by ${row.replacedBy}: ask for that one again.`;
    throw new RunError('rejected', message);
  }
  showRun(desk, { ...row, replacedBy: run });
}

export function createNeeds({ run, tenant, idempotencyKey, replaces, definition: blob }: NewRun): Needs {
  const keys = idempotencyKey === undefined ? [] : [{ tenant, key: idempotencyKey }];
  const runs = replaces === undefined ? [run] : [run, replaces];
  const blobs = blob === undefined ? [] : [{ tenant, blob, run }];
  return { runs, creates: [{ run, tenant }], keys, blobs };
}

export function claim(desk: Desk, { worker, flows, max, lease, run }: ClaimRequest): readonly Claim[] {
  const rows =
    run === undefined ? desk.tables.claimable({ flows, max, now: desk.now }) : oneDue(desk, run, flows);
  return rows.map((row) => {
    const epoch = row.epoch + 1;
    const leaseUntil = desk.now + lease;
    desk.tables.changeRun({
      ...row,
      state: 'running',
      epoch,
      worker,
      leaseUntil,
      wakeAt: null,
      updatedAt: desk.now,
    });
    return { fence: { run: row.run, epoch }, head: row.head, reason: reasonOf(row) };
  });
}

export function claimNeeds({ flows, max, run }: ClaimRequest): Needs {
  return run === undefined ? { due: [{ flows, max }] } : { runs: [run] };
}

export function renew(
  desk: Desk,
  { fences, lease }: { readonly fences: readonly Fence[]; readonly lease: number },
): readonly Fence[] {
  return fences.filter(({ run, epoch }) => {
    const row = desk.tables.run(run);
    if (row?.state !== 'running' || row.epoch !== epoch) return false;
    desk.tables.changeRun({ ...row, leaseUntil: desk.now + lease });
    return true;
  });
}

export function renewNeeds({ fences }: { readonly fences: readonly Fence[] }): Needs {
  return { runs: fences.map(({ run }) => run) };
}

export function release(desk: Desk, { fence, head, wakeAt, begun = [] }: ReleaseRequest): RunState {
  const row = heldBy(desk, fence);
  expectHead(row, head);
  if (row.damaged !== null) return park(desk, row);
  if (desk.tables.hasPending(row.run)) return 'running';
  if (row.status === 'paused') stepBack(desk, row.run, begun);
  if (hearsOfItsTurn(desk, row.run)) return 'running';
  desk.tables.changeRun({
    ...row,
    state: 'waiting',
    worker: null,
    leaseUntil: 0,
    wakeAt: wakeAt ?? null,
    updatedAt: desk.now,
  });
  if (wakeAt !== undefined && wakeAt <= desk.now) desk.hints.push({ type: 'ready', run: row.run });
  return 'waiting';
}

export function releaseNeeds({ fence: { run } }: ReleaseRequest): Needs {
  return { runs: [run], pending: [run], leaves: [{ run }] };
}

export function handBack(desk: Desk, fence: Fence): void {
  makeReady(desk, heldBy(desk, fence));
}

export function handBackNeeds({ run }: Fence): Needs {
  return { runs: [run] };
}

export function get({ tables }: Desk, run: string): RunRow | undefined {
  const row = tables.run(run);
  return row && { ...row };
}

export function getNeeds(run: string): Needs {
  return { runs: [run] };
}

export function find(
  desk: Desk,
  { tenant, idempotencyKey }: Parameters<Dispatch['find']>[0],
): RunRow | undefined {
  const run = desk.tables.runWithKey(tenant, idempotencyKey);
  return run === undefined ? undefined : get(desk, run);
}

export function findNeeds({ tenant, idempotencyKey }: Parameters<Dispatch['find']>[0]): Needs {
  return { keys: [{ tenant, key: idempotencyKey }] };
}

export function list({ tables }: Desk, filter: RunFilter): readonly RunRow[] {
  const rows = tables.list(filter);
  if (rows) return rows;
  throw new RunError('unknown', `There is no run ${filter.after} to go on after: start from the first page.`);
}

export function listNeeds(list: RunFilter): Needs {
  return { list };
}

export function unfinished({ tables }: Desk, tenant: string): Unfinished {
  return tables.unfinished(tenant);
}

export function unfinishedNeeds(unfinished: string): Needs {
  return { unfinished };
}

export function count({ tables }: Desk, which: Counted): readonly TenantCount[] {
  return tables.count(which);
}

export function countNeeds(count: Counted): Needs {
  return { count };
}

export function flows({ tables }: Desk): readonly FlowCount[] {
  return tables.flows();
}

export function flowsNeeds(): Needs {
  return { flows: true };
}

export function questions({ tables }: Desk): number {
  return tables.questions();
}

export function questionsNeeds(): Needs {
  return { questions: true };
}

/** Erasing what is not there changes nothing, so an erasure whose outcome is unknown can be repeated. */
export function erase(desk: Desk, run: string): void {
  const row = desk.tables.run(run);
  leaveAll(desk, run);
  desk.tables.dropBlobs(run);
  desk.tables.removeRun(run);
  if (!row) return;
  desk.hints.push({ type: 'erased', run });
  tellChange(desk, row);
}

export function eraseNeeds(run: string): Needs {
  return { runs: [run], leaves: [{ run }], blobsOf: [run] };
}

function newRow(wanted: NewRun, now: number): RunRow {
  const { run, tenant, conversation, app, title, flow, last, claim, replaces = null, indexed } = wanted;
  return {
    run,
    tenant,
    conversation,
    app,
    title,
    flow,
    status: 'running',
    approvals: 0,
    state: claim ? 'running' : 'ready',
    epoch: claim ? 1 : 0,
    head: last,
    bytes: 0,
    worker: claim?.worker ?? null,
    leaseUntil: claim ? now + claim.lease : 0,
    wakeAt: null,
    createdAt: now,
    updatedAt: now,
    damaged: null,
    replaces,
    replacedBy: null,
    facts: indexed ? addFacts(noFacts, indexed) : noFacts,
  };
}

function oneDue({ tables, now }: Desk, run: string, flows: readonly string[]): readonly RunRow[] {
  const row = tables.run(run);
  const due = row && flows.includes(row.flow) ? dueAt(row) : null;
  return row && due !== null && due <= now ? [row] : [];
}

/** People see a takeover only when a worker was lost, not when it parked the run or gave it back. */
function reasonOf({ epoch, state }: RunRow): Claim['reason'] {
  if (epoch === 0) return 'started';
  return state === 'running' ? 'recovered' : 'woken';
}
