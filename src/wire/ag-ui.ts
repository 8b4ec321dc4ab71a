import { z } from 'zod';

/** AG-UI 1.0: the events that are told, and the request that asks for them. */
export const agUiVersion = '1.0';

export const protobufType = 'application/vnd.ag-ui.event+proto';

/** Where an event belongs that comes from inside an agent below the one that was asked. */
interface Tagged {
  readonly subagentRunId?: string | undefined;
}

interface Named extends Tagged {
  readonly messageId: string;
}

interface OfCall extends Tagged {
  readonly toolCallId: string;
}

interface OfRun {
  readonly threadId: string;
  readonly runId: string;
}

export type Metadata = Readonly<Record<string, unknown>>;

export interface AgUiUsage {
  readonly model?: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}

export interface AgUiInterrupt extends Tagged {
  readonly id: string;
  readonly reason: string;
  readonly message?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly responseSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly expiresAt?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

export type AgUiOutcome =
  | { readonly type: 'success' }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly type: 'cancelled' };

/** One operation of a JSON Patch; the only one that is needed: `add` also replaces a member. */
export interface AddOperation {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

type Bare =
  | ({ readonly type: 'RUN_STARTED'; readonly protocolVersion: string } & OfRun)
  | ({
      readonly type: 'RUN_FINISHED';
      readonly result?: unknown;
      readonly outcome: AgUiOutcome;
      readonly usage?: readonly AgUiUsage[] | undefined;
    } & OfRun)
  | {
      readonly type: 'RUN_ERROR';
      readonly message: string;
      readonly code?: string | undefined;
      readonly usage?: readonly AgUiUsage[];
    }
  | ({ readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string } & Tagged)
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly description?: string | undefined;
      readonly parentSubagentRunId?: string | undefined;
      readonly parentToolCallId?: string | undefined;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly outcome:
        | { readonly type: 'success' }
        | { readonly type: 'suspended'; readonly interruptIds?: readonly string[] };
    }
  | {
      readonly type: 'SUBAGENT_ERROR';
      readonly subagentRunId: string;
      readonly message: string;
      readonly code?: string | undefined;
    }
  | ({ readonly type: 'TEXT_MESSAGE_START'; readonly role: 'assistant' } & Named)
  | ({ readonly type: 'REASONING_MESSAGE_START'; readonly role: 'reasoning' } & Named)
  | ({
      readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT';
      readonly delta: string;
    } & Named)
  | ({
      readonly type: 'TEXT_MESSAGE_END' | 'REASONING_MESSAGE_END' | 'REASONING_START' | 'REASONING_END';
    } & Named)
  | ({ readonly type: 'TOOL_CALL_START'; readonly toolCallName: string } & OfCall)
  | ({ readonly type: 'TOOL_CALL_ARGS'; readonly delta: string } & OfCall)
  | ({ readonly type: 'TOOL_CALL_END' } & OfCall)
  | ({ readonly type: 'TOOL_CALL_RESULT'; readonly messageId: string; readonly content: string } & OfCall)
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: unknown }
  | { readonly type: 'STATE_DELTA'; readonly delta: readonly AddOperation[] }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly unknown[] }
  | {
      readonly type: 'ACTIVITY_SNAPSHOT';
      readonly messageId: string;
      readonly activityType: string;
      readonly content: Readonly<Record<string, unknown>>;
      readonly replace?: boolean | undefined;
    }
  | {
      readonly type: 'ACTIVITY_DELTA';
      readonly messageId: string;
      readonly activityType: string;
      readonly patch: readonly AddOperation[];
    }
  | ({ readonly type: 'CUSTOM'; readonly name: string; readonly value: unknown } & Tagged);

export type AgUiEvent = Bare & { readonly metadata?: Metadata | undefined };

const source = z.looseObject({ type: z.string(), value: z.string(), mimeType: z.string().optional() });
const Part = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.enum(['image', 'audio', 'video', 'document']), source }),
  z.looseObject({
    type: z.string(),
    mimeType: z.string().optional(),
    data: z.string().optional(),
    url: z.string().optional(),
    id: z.string().optional(),
    filename: z.string().optional(),
  }),
]);
export type AgUiPart = z.infer<typeof Part>;

/** What a part that is no text may bring: a source, or, as it was said before 1.0, its fields themselves. */
export interface AgUiMedia {
  readonly source?: z.infer<typeof source>;
  readonly mimeType?: string;
  readonly data?: string;
  readonly url?: string;
  readonly id?: string;
  readonly filename?: string;
}

export const AgUiMessage = z.looseObject({
  id: z.string().optional(),
  role: z.string(),
  content: z.union([z.string(), z.array(Part)]).optional(),
  subagentRunId: z.string().optional(),
});
export type AgUiMessage = z.infer<typeof AgUiMessage>;

export const AgUiResume = z.looseObject({
  interruptId: z.string(),
  status: z.enum(['resolved', 'cancelled']),
  payload: z.unknown().optional(),
});
export type AgUiResume = z.infer<typeof AgUiResume>;

/** What a client asks for. What is not named here is not read. */
export const AgUiInput = z.looseObject({
  threadId: z.string().min(1),
  runId: z.string().min(1),
  messages: z.array(AgUiMessage),
  protocolVersion: z.unknown().optional(),
  parentRunId: z.unknown().optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  context: z.array(z.looseObject({ description: z.string(), value: z.unknown() })).optional(),
  resume: z.array(AgUiResume).optional(),
});
export type AgUiInput = z.infer<typeof AgUiInput>;

export const AgUiStop = z.looseObject({ threadId: z.string().min(1) });
