import { fileURLToPath } from 'node:url';
import {
  codeTool,
  documentTools,
  fileTools,
  openAiChatGateway,
  RunError,
  type Gateway,
  type Tool,
} from '../../src/index.ts';
import { takeAgentTurn } from '../agent/agent-turn.ts';
import type { AgentModel } from '../agent/model-settings.ts';
import { DialError } from '../dial/dial-error.ts';
import { startDialServer, type DialTurn } from '../dial/dial-server.ts';
import type { DialAnswer } from '../dial/dial-answer.ts';
import { sendJson, type DemoServer } from '../loopback-server.ts';
import { chartTool } from './chart.ts';
import { requestLog, type RequestLog } from './request-log.ts';
import { restore, stateOf } from './restore.ts';
import { showTurn } from './show-turn.ts';

export interface GeneralAgentOptions {
  readonly port?: number;
  readonly model: AgentModel;
  /** The folder its documents and files are in; the library of the demo unless said. */
  readonly library?: string;
  /** Milliseconds of silence before a heartbeat. */
  readonly heartbeat?: number;
  /** A file that keeps the log of requests when the process is gone. */
  readonly log?: string;
}

const deployment = 'general-purpose-agent';
const system =
  'You are a general-purpose agent. Calculate by running code, answer from documents with citations, and say what you do not know.';

/** The general-purpose agent: it remembers nothing itself, so that any of its processes can take any turn. */
export function startGeneralAgent(options: GeneralAgentOptions): Promise<DemoServer> {
  const { model, library = fileURLToPath(new URL('./library', import.meta.url)) } = options;
  const log = requestLog(options.log);
  const agent = {
    log,
    name: model.model,
    gateway: openAiChatGateway(model),
    tools: [codeTool(), ...documentTools({ root: library }), ...fileTools({ root: library }), chartTool()],
  };
  return startDialServer({
    ...options,
    applications: new Map([[deployment, (turn, answer) => respond(turn, answer, agent)]]),
    routes({ method, path, response }) {
      const isLog = method === 'GET' && path === '/requests';
      if (isLog) sendJson(response, 200, log.requests);
      return isLog;
    },
  });
}

interface GeneralAgent {
  readonly log: RequestLog;
  readonly name: string;
  readonly gateway: Gateway;
  readonly tools: readonly Tool[];
}

async function respond(turn: DialTurn, answer: DialAnswer, agent: GeneralAgent): Promise<void> {
  const { messages, restored } = restore(turn.messages);
  agent.log.add(turn, { question: messages.at(-1)?.text ?? '', restored });
  answer.open();
  const audience = showTurn(answer, agent.name);
  try {
    const { conversation, idempotencyKey, signal } = turn;
    const asked = { messages: [{ role: 'system' as const, text: system }, ...messages], tools: agent.tools };
    const added = await takeAgentTurn(
      { ...asked, model: agent.gateway, conversation, idempotencyKey },
      audience,
      signal,
    );
    audience.finish();
    answer.remember(stateOf(added));
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    throw new DialError(502, thrown.message, {
      displayMessage: 'The model behind this agent cannot answer now.',
      cause: thrown,
    });
  }
}
