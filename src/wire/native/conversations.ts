import { z } from 'zod';
import { BlobRef } from '../../run/values.ts';
import { endpoint } from './endpoint.ts';
import { after, limit } from './query.ts';
import { RunStatus } from './runs.ts';

/** The last good entry of that run, where it is damaged. */
const damaged = z.int().optional();

export const ListedConversation = z.object({
  conversation: z.string(),
  app: z.string(),
  /** What was asked last. */
  title: z.string(),
  /** Of its newest run. */
  status: RunStatus,
  run: z.string(),
  updatedAt: z.number(),
  damaged,
});
export type ListedConversation = z.infer<typeof ListedConversation>;

/** What was asked and answered. */
export const Exchange = z.object({
  run: z.string(),
  app: z.string(),
  status: RunStatus,
  text: z.union([z.string(), BlobRef]),
  answer: z.union([z.string(), BlobRef]).nullable(),
  createdAt: z.number(),
  damaged,
  /** The run whose place in the conversation it took. */
  again: z.string().optional(),
  /** The run that took its place: it counts instead of this one. */
  replacedBy: z.string().optional(),
});
export type Exchange = z.infer<typeof Exchange>;

export const listConversations = endpoint({
  method: 'GET',
  path: '/api/conversations',
  about: 'Conversations, the one with the newest run first.',
  tag: 'conversations',
  role: 'viewer',
  addresses: 'tenant',
  query: z.strictObject({ after, limit }),
  answers: {
    200: {
      about: 'A page of conversations.',
      schema: z.object({ conversations: z.array(ListedConversation), next: z.string().nullable() }),
    },
  },
});

export const readConversation = endpoint({
  method: 'GET',
  path: '/api/conversations/:conversation',
  about:
    'What was asked and answered, the oldest first; a run that took the place of another stands after that one.',
  tag: 'conversations',
  role: 'viewer',
  addresses: 'conversation',
  query: z.strictObject({ after, limit }),
  answers: {
    200: {
      about: 'A page of the history.',
      schema: z.object({
        conversation: z.string(),
        exchanges: z.array(Exchange),
        next: z.string().nullable(),
      }),
    },
  },
});

export const eraseConversation = endpoint({
  method: 'DELETE',
  path: '/api/conversations/:conversation',
  about: 'Erase a conversation: its runs are stopped, and every trace of them is gone.',
  tag: 'conversations',
  role: 'member',
  addresses: 'conversation',
  answers: {
    204: { about: 'It is gone.' },
    409: {
      about: 'What was under way was stopped and may have happened. Nothing was erased; asked again, it is.',
    },
  },
});
