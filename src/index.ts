/** Says what may stand in `vitrine.config.ts`. */
export { defineConfig, type DefinedConfig } from './server/compose/define-config.ts';

/** What a run does, and the hand it has on the run while it does it. */
export type { Flow, RunInput, Scope } from './engine/scope.ts';
/** What a flow asks of its scope, and what it gets. */
export type {
  Answer,
  CallOptions,
  CallResult,
  Question,
  SchemaTurn,
  StepOptions,
  TurnRequest,
  TurnResult,
} from './engine/scope.ts';
/** A flow that apps give settings, by a schema of its own. */
export { defineFlow, type FlowWithSettings } from './flows/define-flow.ts';

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
export { converse } from './flows/converse/converse.ts';
/** A coordinator: chooses who works, shows what they do, and writes the answer. */
export { coordinate } from './flows/coordinate/coordinate.ts';
/** A gateway that replays a script. */
export { scriptedGateway } from './gateways/scripted/scripted.ts';

/** Something an agent may call, and what it may use while it runs. */
export type { Tool, ToolContext, TypedTool } from './tools/tool.ts';
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
/** Judges what may happen next; stands in a configuration under «policies», beside those that ship. */
export type { Intent, Policy, PolicyView, Verdict } from './policies/policy.ts';

/** Calls the tools of a server that speaks the Model Context Protocol. */
export { mcpServer, type McpServer, type McpSettings } from './tools/mcp/mcp.ts';

/** Has Vitrine in a program: runs to start and to follow, and a handler for the program's own server. */
export { openVitrine, type BegunRun, type Vitrine, type VitrineSettings } from './program/open-vitrine.ts';
/** Who asks, as the program that embeds this says it. */
export type { CallerOf, ProgramCaller } from './program/caller.ts';
/** Answers requests of Node's `http`. */
export type { NodeHandler } from './server/http/mounted.ts';
/** Serves the apps of a configuration over HTTP, and works on their runs. */
export { serve, type RunningServer, type ServeSettings } from './program/serve.ts';
/** For programs that embed this: what a tool or flow leaves behind fails its own step, and not the process. */
export { containStrays } from './server/observe/strays.ts';
/** Where bugs are told. */
export type { Log } from './engine/world.ts';
/** Time as the engine knows it; the machine's own. */
export type { Clock } from './engine/time/clock.ts';
/** The machine's time, and ids that sort by the time they were made: what is used unless a program has its own. */
export { newId, systemClock } from './loop/machine.ts';

/** What happened, as the journal keeps it. */
export type { Entry, RunEvent } from './run/events.ts';
/** What people ask of a run. */
export type { Command } from './run/commands.ts';
/** A failure that is expected: a code, a sentence, whether trying again can help. */
export { RunError, type Failure } from './run/failure.ts';
/** Computes the tree of steps from entries. */
export { foldAll } from './run/entries.ts';
/** The tree of steps. */
export type { RunTree, Step } from './run/tree.ts';
/** Gives the tree as JSON. */
export { flatTree, type FlatTree } from './run/flat-tree.ts';
/** Puts together what a turn was sent. */
export { promptOf, type Prompt } from './run/prompt.ts';
/** What may be recorded. */
export type { Json } from './run/values.ts';
