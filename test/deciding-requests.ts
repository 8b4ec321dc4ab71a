// What is sent to decide, in the form of each door.
import type { Json } from '../src/run/values.ts';
import type { Scene } from './paying.ts';
import type { Serving } from './serving.ts';

export interface Request {
  readonly path: string;
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A question as somebody names it. */
export interface Named {
  readonly id: string;
  readonly fingerprint: string;
}

export const much = { amount: 1_000_000 };
export const questionOf = ({ id, fingerprint }: Named): string =>
  fingerprint === '' ? id : `${id}~${fingerprint}`;
export const words = ({ fingerprint }: Named): string => `approve ${fingerprint}`;

export const agUi = (question: string, more: object = {}): Request => ({
  path: '/ag-ui/pays',
  json: {
    threadId: 't',
    runId: 'r',
    messages: [],
    tools: [],
    context: [],
    state: {},
    resume: [{ interruptId: question, status: 'resolved', ...more }],
  },
});
export const agUiSays = (payload: unknown) => (scene: Scene) => agUi(questionOf(scene.asked), { payload });

export const aiSdk = (approval: object, more: object = {}): Request => ({
  path: '/ai-sdk/pays/chat',
  json: {
    id: 'c',
    messages: [
      {
        id: 'a',
        role: 'assistant',
        parts: [{ type: 'dynamic-tool', state: 'approval-responded', approval, ...more }],
      },
    ],
  },
});

export const responses = (...answers: readonly object[]): Request => ({
  path: '/v1/responses',
  json: {
    model: 'pays',
    input: answers.map((answer) => ({ type: 'mcp_approval_response', approve: true, ...answer })),
  },
});

export const dialForm = (...decisions: readonly object[]): Request => ({
  path: '/openai/deployments/pays/chat/completions',
  json: { messages: [{ role: 'user', content: '', custom_content: { form_value: { decisions } } }] },
});

export const a2ui = (run: string, context: object, action: object = {}): Request => ({
  path: `/api/runs/${run}/a2ui/actions`,
  json: {
    version: 'v0.9',
    action: {
      name: 'decide',
      surfaceId: run,
      sourceComponentId: 'choice',
      timestamp: '2026-11-17T08:00:00.000Z',
      context,
      ...action,
    },
  },
});
export const a2uiSays =
  (more: object, action?: object) =>
  ({ run, asked }: Scene) =>
    a2ui(run, { approvalId: questionOf(asked), decision: 'approve', ...more }, action);

export const echo = (run: string, more: object, path = 'decide'): Request => ({
  path: `/workflows/hitl/${path}`,
  json: { run_id: run, action: 'approve', ...more },
});
export const echoSays =
  (more: object, path?: string) =>
  ({ run, asked }: Scene) =>
    echo(run, { approval_id: questionOf(asked), ...more }, path);

export const a2a = (run: string, ...parts: readonly object[]): Request => ({
  path: '/a2a/pays',
  json: {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', taskId: run, parts } },
  },
  headers: { 'a2a-version': '1.0' },
});
export const a2aSays =
  (...all: readonly object[]) =>
  ({ run, asked: { id: approval, fingerprint } }: Scene) =>
    a2a(run, ...all.map((more) => ({ data: { approval, decision: 'approve', fingerprint, ...more } })));

const mcp = (params: object): Request => ({
  path: '/mcp',
  json: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'pays',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      },
      ...params,
    },
  },
  headers: {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'pays',
    accept: 'application/json, text/event-stream',
  },
});
export const mcpWords = (run: string, text: string): Request => mcp({ arguments: { text, run } });
const accepted = { action: 'accept', content: { decision: 'approve' } };
export const mcpForms = (run: string, ...questions: readonly string[]): Request =>
  mcp({
    arguments: { text: 'x' },
    requestState: run,
    inputResponses: Object.fromEntries(questions.map((question) => [question, accepted])),
  });

const applications = '/api/applications/pays/chat';
/** The session of each run that was begun there. */
const sessions = new Map<string, string>();

export async function startSession(at: Serving, calls: readonly Json[]): Promise<string> {
  const session = crypto.randomUUID();
  const json = { message: JSON.stringify(calls), session_id: session };
  const run = (await at.ask(applications, { json })).headers.get('x-run-id') ?? '';
  sessions.set(run, session);
  return run;
}

export const session = (run: string, more: object): Request => ({
  path: `${applications}/hitl-decide`,
  json: { session_id: sessions.get(run), action: 'approve', ...more },
});
export const sessionSays =
  (more: object) =>
  ({ run, asked: { fingerprint } }: Scene) =>
    session(run, { fingerprint, ...more });

export const said = (path: string, content: string): Request => ({
  path,
  json: { model: 'pays', messages: [{ role: 'user', content }] },
});
export const twoStage = (content: string): Request => ({
  path: '/api/chat/messages',
  json: { external_id: 'P1-x', sender: 'user', content, metadata: { app: 'pays' } },
});
