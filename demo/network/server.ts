import { fileURLToPath } from 'node:url';
import { openAiChatGateway, RunError, type Gateway, type Json, type Message } from '../../src/index.ts';
import { takeAgentTurn, type Audience } from '../agent/agent-turn.ts';
import type { AgentModel } from '../agent/model-settings.ts';
import type { DialAnswer } from '../dial/dial-answer.ts';
import { DialError } from '../dial/dial-error.ts';
import type { DialMessage } from '../dial/dial-request.ts';
import { startDialServer, type DialTurn } from '../dial/dial-server.ts';
import type { DemoServer } from '../loopback-server.ts';
import { networkAgents, type NetworkAgent } from './agents.ts';
import { generatedBackbone } from './backbone.ts';
import { networkDatabase } from './database.ts';
import { DispatchDesk } from './dispatch.ts';
import { dispatchAgent, showDispatch } from './dispatch-agent.ts';
import { dispatchLog } from './dispatch-log.ts';
import { Found } from './found.ts';
import { noticeBoard } from './notices.ts';
import { openRecords } from './records.ts';
import { route } from './routes.ts';
import { showAnswer } from './show-answer.ts';
import { generatedSamples } from './telemetry.ts';
import { generatedTickets } from './tickets.ts';

export interface NetworkOptions {
  readonly port?: number;
  readonly model: AgentModel;
  readonly seed?: number;
  /** The file that keeps what was dispatched and posted when the process is gone. */
  readonly records?: string;
  readonly heartbeat?: number;
}

/** The operations centre of a backbone: several agents behind one DIAL server, and an action. */
export async function startNetwork(options: NetworkOptions): Promise<DemoServer> {
  const { model, seed = 2026, records: file = ':memory:' } = options;
  const backbone = generatedBackbone(seed);
  const samples = generatedSamples(backbone.links, seed);
  const tickets = generatedTickets(backbone.links, seed);
  const database = networkDatabase({ backbone, samples, tickets });
  const records = openRecords(file);
  const desk = new DispatchDesk(backbone, seed, dispatchLog(records));
  const board = noticeBoard(records, backbone, seed);
  const runbooks = fileURLToPath(new URL('./runbooks', import.meta.url));
  const gateway = openAiChatGateway(model);
  const agents = [...networkAgents({ backbone, database, runbooks }), dispatchAgent(desk)];
  const applications = new Map(
    agents.map((agent) => [
      agent.name,
      (turn: DialTurn, answer: DialAnswer) => respond(turn, answer, { agent, gateway, model: model.model }),
    ]),
  );
  const server = await startDialServer({
    ...options,
    applications,
    routes: (visit) => route(visit, { desk, board }),
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      if (!database.isOpen) return;
      database.close();
      records.close();
    },
  };
}

interface Working {
  readonly agent: NetworkAgent;
  readonly gateway: Gateway;
  readonly model: string;
}

/** These agents keep nothing: each message says all they need. */
async function respond(
  turn: DialTurn,
  answer: DialAnswer,
  { agent, gateway, model }: Working,
): Promise<void> {
  if (turn.messages.at(-1)?.role !== 'user') throw new DialError(400, 'The last message must be the user’s.');
  const { conversation, idempotencyKey, signal } = turn;
  const system = `You are ${agent.name}. ${agent.description} Use your tools, and answer only from what they return.`;
  const messages: Message[] = [{ role: 'system', text: system }, ...turn.messages.flatMap(messageOf)];
  answer.open();
  const audience: Audience = agent.isAction ? showDispatch(answer, model) : showAnswer(answer, model);
  try {
    await takeAgentTurn(
      { model: gateway, messages, tools: agent.tools, conversation, idempotencyKey, forModel },
      audience,
      signal,
    );
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
    throw new DialError(502, thrown.message, {
      displayMessage: `${agent.name} cannot answer now.`,
      cause: thrown,
    });
  }
}

/** Tables and graphs are for people; the model reads what was found in them. */
function forModel(result: Json): Json {
  const found = Found.safeParse(result).data;
  if (!found) return result;
  const { finding, hits = [], document = {} } = found;
  return { finding, hits, ...document };
}

function messageOf({ role, content }: DialMessage): Message[] {
  const text =
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');
  return role === 'user' || role === 'assistant' || role === 'system' ? [{ role, text }] : [];
}
