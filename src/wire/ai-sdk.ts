import { z } from 'zod';

/** The UI message stream of the AI SDK, version 7: what is told of a run. */
export type AiSdkChunk =
  | { readonly type: 'start'; readonly messageId: string; readonly messageMetadata?: object }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | {
      readonly type: 'finish';
      readonly finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls';
      readonly messageMetadata?: object;
    }
  | { readonly type: 'abort'; readonly reason?: string | undefined }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly dynamic: true;
      readonly title?: string | undefined;
      readonly toolMetadata?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly reason?: string | undefined;
      readonly approvalDescriptor?: unknown;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: unknown;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | {
      readonly type: 'source-url';
      readonly sourceId: string;
      readonly url: string;
      readonly title?: string | undefined;
    }
  | {
      readonly type: 'source-document';
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
    }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | {
      readonly type: `data-${string}`;
      readonly id?: string;
      readonly data: unknown;
      readonly transient?: true;
    };

/** What says that a stream has come to its end. */
export const aiSdkDone = '[DONE]';

export const aiSdkHeaders = { 'x-vercel-ai-ui-message-stream': 'v1' } as const;

const Approval = z.looseObject({
  id: z.string(),
  approved: z.boolean().optional(),
  reason: z.string().optional(),
});

export const AiSdkPart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  state: z.string().optional(),
  approval: Approval.optional(),
  url: z.string().optional(),
  mediaType: z.string().optional(),
  filename: z.string().optional(),
});
export type AiSdkPart = z.infer<typeof AiSdkPart>;

export const AiSdkMessage = z.looseObject({
  id: z.string().optional(),
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(AiSdkPart),
});
export type AiSdkMessage = z.infer<typeof AiSdkMessage>;

/** What a chat sends. */
export const AiSdkRequest = z.looseObject({
  id: z.string().min(1),
  messages: z.array(AiSdkMessage).min(1, 'say something'),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: z.string().optional(),
  /** What a page says as its system; chats of assistant-ui send it. */
  system: z.string().nullish(),
});
export type AiSdkRequest = z.infer<typeof AiSdkRequest>;
