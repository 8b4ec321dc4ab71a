import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { httpTools, mcpServer, type Tool } from '../../src/index.ts';
import type { AgentModel } from '../agent/model-settings.ts';
import { toolAgent } from '../agent/tool-agent.ts';
import { startDialServer } from '../dial/dial-server.ts';
import type { DemoServer } from '../loopback-server.ts';
import { asksToPost } from './posting.ts';

export interface DutyDeskOptions {
  readonly port?: number;
  readonly model: AgentModel;
  /** The notice board of the operations centre. */
  readonly board: string;
  /** The on-call roster: an MCP server over HTTP. */
  readonly roster: string;
  /** The stores: an MCP server that is started as a program; the one of the demo unless said. */
  readonly spares?: readonly string[];
}

const ownSpares = [
  process.execPath,
  fileURLToPath(new URL(`../spares/main${extname(import.meta.url)}`, import.meta.url)),
];

/** The duty desk: an agent whose tools belong to others, reached over HTTP and the Model Context Protocol. */
export async function startDutyDesk(options: DutyDeskOptions): Promise<DemoServer> {
  const { model, board } = options;
  const servers = [
    mcpServer({ name: 'roster', url: options.roster }),
    mcpServer({ name: 'spares', command: options.spares ?? ownSpares }),
  ];
  const web = webTools(board);
  const agent = toolAgent({
    model,
    system: `You are the duty desk of an operations centre. The notice board is at ${board} (add ?site= and a code to see one site; POST { site, text } to put something up). Answer only from what tools return.`,
    async tools(question, signal) {
      const listings = await Promise.all(servers.map((server) => server.list(signal)));
      return [...web(question), ...listings.flatMap(({ tools }) => tools)];
    },
  });
  const applications = new Map([['DutyDeskAgent', agent]]);
  const server = await startDialServer({ ...options, applications });
  return {
    url: server.url,
    async close() {
      await server.close();
      await Promise.all(servers.map((each) => each.close()));
    },
  };
}

/** One address of this machine and one port: everything else is refused, whatever the model asks for. */
function webTools(board: string): (question: string) => readonly Tool[] {
  const { hostname, port } = new URL(board);
  const tools = httpTools({
    allow: [hostname],
    ports: [Number(port)],
    isAllowed: (address) => address === hostname,
  });
  return (question) => tools.filter(({ name }) => name !== 'http_send' || asksToPost(question));
}
