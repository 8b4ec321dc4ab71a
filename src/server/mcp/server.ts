import { McpServer, ResourceTemplate, type ReadResourceResult } from '@modelcontextprotocol/server';
import { RunError } from '../../run/failure.ts';
import { flatTree } from '../../run/flat-tree.ts';
import type { App } from '../folder/home.ts';
import { missing, ownRun } from '../runs/quotas.ts';
import { versionHere } from '../version.ts';
import { callApp } from './call-app.ts';
import { readAppCall, runUri, type Client } from './client.ts';
import { toolName } from './tool-name.ts';
import { shownRows } from '../apps/hidden-apps.ts';

/** What a client of the Model Context Protocol finds here: each app is a tool, each run a resource. */
export function mcpServer(client: Client, apps: readonly App[]): McpServer {
  const server = new McpServer(
    { name: 'vitrine', version: versionHere() },
    {
      instructions:
        'Each tool is an app: a team of agents. Its steps come as progress; a question to a person comes as elicitation.',
    },
  );
  for (const app of apps) addApp(server, client, app);
  addRuns(server, client);
  return server;
}

function addApp(server: McpServer, client: Client, app: App): void {
  const about = {
    title: app.name,
    description: app.description ?? `The app «${app.name}».`,
    inputSchema: readAppCall,
    annotations: { openWorldHint: true },
  };
  server.registerTool(toolName(app.name), about, (asked, mcp) => {
    const can = server.server.getClientCapabilities();
    return callApp({ client, app, asked, mcp, canElicit: can?.elicitation !== undefined });
  });
}

const runMime = 'application/json';

function addRuns(server: McpServer, { context, caller }: Client): void {
  const list = async () => {
    const all = await context.home.dispatch.list({ tenant: caller.tenant, limit: 50 });
    const rows = await shownRows(context, caller, all);
    return {
      resources: rows.map(({ run, title, status, app }) => ({
        uri: runUri(run),
        name: title || run,
        // Without it clients show that of all runs together.
        title: title || run,
        description: `${app}: ${status}`,
        mimeType: runMime,
      })),
    };
  };
  const about = { title: 'Runs', description: 'A run with its nested steps.', mimeType: runMime };
  server.registerResource(
    'run',
    new ResourceTemplate('vitrine://runs/{run}', { list }),
    about,
    (uri, { run }) => readRun({ context, caller }, uri, String(run)),
  );
}

async function readRun(asker: Omit<Client, 'era'>, uri: URL, run: string): Promise<ReadResourceResult> {
  const row = await ownRun(asker, run);
  if (!row) throw missing('run', run);
  if (row.bytes > mostBytes)
    throw new RunError(
      'too-large',
      `Run ${run} is too large for a resource: read «/api/runs/${run}/events».`,
    );
  const tree = await asker.context.trees.still(row, { preferences: asker.context.home.preferences(row.app) });
  return { contents: [{ uri: uri.href, mimeType: runMime, text: JSON.stringify(flatTree(tree, run)) }] };
}

/** Of its journal. */
const mostBytes = 1 << 20;
