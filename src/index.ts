/** Says what may stand in `vitrine.config.ts`. */
export { defineConfig, type DefinedConfig } from './server/compose/define-config.ts';

/** What a run does, and the hand it has on the run while it does it. */
export type { Flow, RunInput, Scope } from './engine/scope.ts';
/** What a flow asks of its scope, and what it gets. */
export type { Answer, CallResult, Question, StepOptions, TurnRequest, TurnResult } from './engine/scope.ts';

/** Somebody a turn can be given to. */
export type { Agent } from './catalog/agent.ts';
/** The port to whoever takes a turn. */
export type { AgentEvent, Gateway, Message, Turn } from './gateways/gateway.ts';
/** A gateway to any server that speaks OpenAI chat completions. */
export { openAiChatGateway, type OpenAiChatSettings } from './gateways/chat/openai-chat.ts';
/** Asks a deployment behind DIAL Core, or an application that speaks its format. */
export { dialGateway, type DialSettings } from './gateways/dial/dial.ts';
/** Asks a service that keeps conversations on its own side. */
export { conversationGateway } from './gateways/conversation/conversation.ts';
/** Attaches what an agent that answers in sections describes: graphs, tables, documents, citations. */
export { sectionedGateway } from './gateways/conversation/sectioned.ts';
/** Any AI SDK provider model. */
export { aiSdkGateway } from './gateways/ai-sdk/ai-sdk.ts';
/** One agent with tools, run so that it always ends with an answer. */
export { converse } from './flows/converse.ts';
/** A coordinator: chooses who works, shows what they do, and writes the answer. */
export { coordinate } from './flows/coordinate.ts';
/** A gateway that replays a script. */
export { scriptedGateway } from './gateways/scripted/scripted.ts';

/** Something an agent may call, and what it may use while it runs. */
export type { Tool, ToolContext } from './tools/tool.ts';
/** Makes a tool from a function and the zod schema of its arguments. */
export { functionTool } from './tools/function.ts';
/** The same for what computes for long: it runs in a thread or process of its own, and stop ends it anywhere. */
export { killableTool, type KillableToolOptions } from './tools/killable/killable.ts';
/** Lists, reads and searches the files of one folder. */
export { fileTools, type FileToolsOptions } from './tools/files/files.ts';
/** Searches the documents of one folder, with citations. */
export { documentTools, type DocumentToolsOptions } from './tools/documents/documents.ts';
/** Runs JavaScript in a sandbox. */
export { codeTool, type CodeToolOptions } from './tools/code/code.ts';
/** Fetches from the web, and sends there once a person agrees; private addresses are out of reach unless allowed. */
export { httpTools, type HttpToolsOptions } from './tools/http/http.ts';
/** Judges what may happen next. */
export type { Policy, Verdict } from './policies/policy.ts';

/** Calls the tools of a server that speaks the Model Context Protocol. */
export { mcpServer, type McpServer, type McpSettings } from './tools/mcp/mcp.ts';

/** Serves the apps of a configuration over HTTP, and works on their runs. */
export { serve, type RunningServer, type ServeSettings } from './server/serve.ts';
/** For programs that embed this: what a tool or flow leaves behind fails its own step, and not the process. */
export { containStrays } from './server/observe/strays.ts';
/** Opens a data folder as the process that holds it, with a worker for its runs. */
export { openHome, type HomeSettings } from './server/compose/compose.ts';
/** Reads a data folder beside the process that holds it. */
export { readHome } from './server/compose/compose.ts';
/** Starts runs, tells them what people ask, erases them; whoever works on them. */
export { frontOf, type Front } from './front/front.ts';
/** Claims runs that nobody works on, and executes them. */
export { Worker } from './worker/worker.ts';
/** What a run is started with. */
export type { RunRequest } from './front/create-run.ts';
/** Everything both stand on. */
export { workplaceIn, type Workplace, type World } from './engine/world.ts';
/** Where runs are kept. */
export type { Store } from './stores/store.ts';
/** Keeps runs as long as the process lives. */
export { memoryStore } from './stores/memory.ts';
/** Keeps runs in a folder on this machine. */
export { sqliteStore } from './stores/sqlite.ts';

/** What happened, as the journal keeps it. */
export type { Entry, RunEvent } from './run/events.ts';
/** What people ask of a run. */
export type { Command } from './run/commands.ts';
/** A failure that is expected: a code, a sentence, whether trying again can help. */
export { RunError, type Failure } from './run/failure.ts';
/** Computes the tree of steps from entries. */
export { foldAll } from './run/fold.ts';
/** The tree of steps. */
export type { RunTree, Step } from './run/tree.ts';
/** Gives the tree as JSON. */
export { flatTree, type FlatTree } from './run/flat-tree.ts';
/** Puts together what a turn was sent. */
export { promptOf, type Prompt } from './run/prompt.ts';
/** What may be recorded. */
export type { Json } from './run/values.ts';
