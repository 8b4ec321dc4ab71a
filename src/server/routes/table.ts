import { a2uiRoutes } from './a2ui-actions.ts';
import { approvalRoutes } from './approvals.ts';
import { consolePageRoutes } from './console-page.ts';
import { conversationRoutes } from './conversations.ts';
import { documentRoutes } from './documents.ts';
import { executionRoutes } from './execution.ts';
import { feedRoutes } from './feed.ts';
import { fileRoutes } from './files.ts';
import { folderRoutes } from './folder.ts';
import { healthRoutes } from './health.ts';
import { openApiRoute } from './openapi.ts';
import { pageRoutes } from './page.ts';
import { type Route, eventRoutes } from './route.ts';
import { commandRoutes } from './run-commands.ts';
import { runRoutes } from './runs.ts';
import { sessionStreamRoutes } from './session-stream.ts';
import { sessionRoutes } from './sessions.ts';
import { signInRoutes } from './sign-in.ts';
import { startRoutes } from './start-run.ts';
import { usageRoutes } from './usage.ts';
import { chatRoutes } from '../applications/chat-routes.ts';
import { decisionRoutes } from '../applications/decision-routes.ts';
import { uploadRoutes } from '../applications/upload-route.ts';
import { lookupRoutes } from '../applications/lookups.ts';
import { applicationRoutes } from '../applications/routes.ts';
import { appRoutes } from '../apps/routes.ts';
import { a2aRoutes } from '../a2a/routes.ts';
import { echoCanvasRoutes } from '../echo/canvas-routes.ts';
import { echoChatRoutes } from '../echo/chat-routes.ts';
import { echoHitlRoutes } from '../echo/hitl-routes.ts';
import { echoWorkflowRoutes } from '../echo/workflow-routes.ts';
import { mcpRoutes } from '../mcp/routes.ts';
import { twoStageRoutes } from '../two-stage/routes.ts';
import { workflowDefinitionRoutes } from '../workflows/definition-routes.ts';
import { workflowRunRoutes } from '../workflows/run-routes.ts';
import { scheduleRoutes } from '../workflows/schedule-routes.ts';

const described: readonly Route[] = [
  ...healthRoutes,
  ...signInRoutes,
  ...startRoutes,
  ...runRoutes,
  ...eventRoutes,
  ...feedRoutes,
  ...commandRoutes,
  ...approvalRoutes,
  ...a2uiRoutes,
  ...conversationRoutes,
  ...documentRoutes,
  ...fileRoutes,
  ...folderRoutes,
  ...sessionRoutes,
  ...sessionStreamRoutes,
  ...consolePageRoutes,
  ...executionRoutes,
  ...usageRoutes,
  ...appRoutes,
  ...applicationRoutes,
  ...chatRoutes,
  ...decisionRoutes,
  ...uploadRoutes,
  ...lookupRoutes,
  ...a2aRoutes,
  ...mcpRoutes,
  ...twoStageRoutes,
  ...workflowDefinitionRoutes,
  ...workflowRunRoutes,
  ...scheduleRoutes,
  ...echoWorkflowRoutes,
  ...echoCanvasRoutes,
  ...echoChatRoutes,
  ...echoHitlRoutes,
];

/** Every door of the server. */
export const routeTable: readonly Route[] = [...described, openApiRoute(described), ...pageRoutes];
