import {
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext as McpContext,
} from '@modelcontextprotocol/server';
import { stopOf } from '../../front/same-again.ts';
import { RunError } from '../../run/failure.ts';
import { flatApproval } from '../../run/flat-approval.ts';
import { questionId } from '../../run/question-id.ts';
import { runStatus, undecidedApprovals, type Approval, type RunTree } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import type { App } from '../folder/home.ts';
import { startRun } from '../routes/start-run.ts';
import { askingWords, decisionInWords } from '../../run/asking.ts';
import { decideApproval, decideTogether, expectFewDecisions } from '../runs/decide-approval.ts';
import { answerIn, followed } from '../runs/followed.ts';
import { ownConversation } from '../runs/own-conversation.ts';
import { missing, ownRun } from '../runs/quotas.ts';
import { elicitation, type Elicited, elicitedDecision } from './elicitation.ts';
import { tellProgress } from './progress.ts';
import { runUri, type AppCall, type Client } from './client.ts';

/** A call of an app, as it came. */
export interface Call {
  readonly client: Client;
  readonly app: App;
  readonly asked: AppCall;
  readonly mcp: McpContext;
  /** Whether whoever calls can put a question to a person. */
  readonly canElicit: boolean;
}

/** An app as a tool: a call is a run, told by its progress, until it has an answer or asks a person. */
export async function callApp(call: Call): Promise<CallToolResult | InputRequiredResult> {
  const { client, mcp, canElicit } = call;
  let { row, after } = await begun(call);
  for (;;) {
    const tree = await rest(call, row, after);
    if (mcp.mcpReq.signal.aborted) return cancelled(client, row);
    if (!tree || runStatus(tree) !== 'waiting') return answered(client, row, tree);
    const questions = undecidedApprovals(tree);
    if (!canElicit) return inWords(row, questions);
    if (client.era === 'modern') return asked(row, questions);
    const decided = await askNow(call, row, questions);
    if (decided === undefined) return inWords(row, questions);
    after = decided;
    row = (await client.context.home.dispatch.get(row.run)) ?? row;
  }
}

interface Begun {
  readonly row: RunRow;
  /** The entry that the client knows of. */
  readonly after: number;
}

/** A call begins a run, or brings what a person decided about one. */
async function begun(call: Call): Promise<Begun> {
  const { client, app, asked: wanted, mcp } = call;
  const { context, caller } = client;
  const state = mcp.mcpReq.requestState();
  if (typeof state === 'string')
    return decidedWith(call, await own(call, state), mcp.mcpReq.inputResponses ?? {});
  if (wanted.run !== undefined) return decidedByWords(call, await own(call, wanted.run));
  const named = wanted.conversation === undefined ? undefined : ownConversation(caller, wanted.conversation);
  const place = named ? { conversation: named.id, begins: named.mayBegin } : {};
  const { run } = await startRun(context, caller, { app: app.name, input: { text: wanted.text }, ...place });
  return { row: await own(call, run), after: 0 };
}

/** A run of this app; the state that a client brings back is its word, and no more. */
async function own({ client, app }: Call, run: string): Promise<RunRow> {
  const row = await ownRun(client, run);
  if (row?.app !== app.name) throw missing('run', run);
  return row;
}

async function decidedWith(
  call: Call,
  row: RunRow,
  responses: Readonly<Record<string, unknown>>,
): Promise<Begun> {
  const { context, caller } = call.client;
  expectFewDecisions(Object.keys(responses).length, 'inputResponses');
  const tree = await context.trees.of(row);
  const wanted = Object.keys(responses).flatMap((id) => {
    const approval = [...tree.approvals.values()].find((each) => questionId(each) === id);
    if (!approval)
      throw new RunError('rejected', 'What was shown is not what the run asks now: call the tool again.');
    const response = inputResponse(responses, id);
    const body = elicitedDecision(approval, response.kind === 'elicit' ? response : { action: 'cancel' });
    return body ? [{ row, approval, body }] : [];
  });
  const decided = await decideTogether(context, caller, wanted);
  return { row, after: decided.at(-1)?.approval.decided?.seq ?? row.head };
}

async function decidedByWords({ client, asked: { text } }: Call, row: RunRow): Promise<Begun> {
  const words = decisionInWords(text);
  const tree = await client.context.trees.of(row);
  const approval = undecidedApprovals(tree).find(({ fingerprint }) => fingerprint === words?.fingerprint);
  if (!words || !approval)
    throw new RunError(
      'malformed',
      'Say «approve <fingerprint>» or «reject <fingerprint>», with the fingerprint that was shown.',
    );
  const { approval: now } = await decideApproval(client.context, client.caller, {
    row,
    approval,
    body: words,
  });
  return { row, after: now.decided?.seq ?? row.head };
}

/** The entry of what a person decided; undefined where they did not. */
async function decide(
  { context, caller }: Client,
  subject: { readonly row: RunRow; readonly approval: Approval },
  elicited: Elicited,
): Promise<number | undefined> {
  const body = elicitedDecision(subject.approval, elicited);
  if (!body) return undefined;
  const { approval } = await decideApproval(context, caller, { ...subject, body });
  return approval.decided?.seq;
}

/** Follow a run until it rests, telling of its steps. */
async function rest({ client, mcp }: Call, row: RunRow, after: number): Promise<RunTree | undefined> {
  let last: RunTree | undefined;
  for await (const now of followed(client.context, { ...row, after }, mcp.mcpReq.signal)) {
    last = now.tree;
    await tellProgress(mcp, now);
  }
  return last;
}

/** Clients that can be asked in the middle of a call. */
async function askNow(call: Call, row: RunRow, questions: readonly Approval[]): Promise<number | undefined> {
  let last: number | undefined;
  for (const approval of questions) {
    const elicited = await call.mcp.mcpReq.elicitInput(elicitation(approval), { timeout: patience });
    last = (await decide(call.client, { row, approval }, elicited)) ?? last;
  }
  return last;
}

/** How long a person may take within a call; the question stays open after that. Milliseconds. */
const patience = 3_600_000;

function asked({ run }: RunRow, questions: readonly Approval[]): InputRequiredResult {
  const requests = questions.map(
    (approval) => [questionId(approval), inputRequired.elicit(elicitation(approval))] as const,
  );
  return inputRequired({ inputRequests: Object.fromEntries(requests), requestState: run });
}

/** In this protocol, to close the stream of a call is to cancel it. When it is this server that goes away, nobody did. */
async function cancelled({ context, caller }: Client, row: RunRow): Promise<never> {
  if (!context.closing.aborted) {
    const command = { type: 'stop', by: caller.who, reason: 'cancelled by an MCP client' } as const;
    await context.home.front.command(row, { command, id: stopOf(row.run) });
  }
  throw new RunError('rejected', `The call was cancelled; run ${row.run} was stopped.`);
}

async function answered(
  { context }: Client,
  row: RunRow,
  tree: RunTree | undefined,
): Promise<CallToolResult> {
  const text = tree ? await answerIn(context, row.tenant, tree) : '';
  const { outcome = 'failed', failure } = tree?.ended ?? {};
  const said = text || failure?.message || `The run was ${outcome}.`;
  return {
    content: [{ type: 'text', text: said }, link(row)],
    structuredContent: { ...about(row), status: outcome, answer: text },
    isError: outcome !== 'completed',
  };
}

/** A question to those who can put it to nobody but their model or their person, by words. */
function inWords(row: RunRow, questions: readonly Approval[]): CallToolResult {
  const how = `Run ${row.run} waits for a person. Call this tool again with «run» and the answer as «text».`;
  return {
    content: [{ type: 'text', text: [how, ...questions.map(askingWords)].join('\n\n') }, link(row)],
    structuredContent: { ...about(row), status: 'waiting', approvals: questions.map(flatApproval) },
  };
}

function about({ run, conversation }: RunRow): { readonly run: string; readonly conversation: string } {
  return { run, conversation };
}

function link({ run, title }: RunRow): CallToolResult['content'][number] {
  return { type: 'resource_link', uri: runUri(run), name: title || run, mimeType: 'application/json' };
}
