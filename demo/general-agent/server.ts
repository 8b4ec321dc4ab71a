import { fileURLToPath } from 'node:url';
import { codeTool, documentTools, fileTools } from '../../src/index.ts';
import type { AgentModel } from '../agent/model-settings.ts';
import { toolAgent } from '../agent/tool-agent.ts';
import { startDialServer } from '../dial/dial-server.ts';
import { sendJson, type DemoServer } from '../loopback-server.ts';
import { chartTool } from './chart.ts';
import { requestLog } from './request-log.ts';

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

/** The general-purpose agent: code, documents, files and charts. */
export function startGeneralAgent(options: GeneralAgentOptions): Promise<DemoServer> {
  const { model, library = fileURLToPath(new URL('./library', import.meta.url)) } = options;
  const log = requestLog(options.log);
  const tools = [
    codeTool(),
    ...documentTools({ root: library }),
    ...fileTools({ root: library }),
    chartTool(),
  ];
  const agent = toolAgent({
    model,
    system,
    tools: () => Promise.resolve(tools),
    noted: (turn, seen) => log.add(turn, seen),
  });
  return startDialServer({
    ...options,
    applications: new Map([[deployment, agent]]),
    routes({ method, path, response }) {
      const isLog = method === 'GET' && path === '/requests';
      if (isLog) sendJson(response, 200, log.requests);
      return isLog;
    },
  });
}
