// The forms in which the workflow platform speaks of its applications. Ids are names here.
import { z } from 'zod';

const Text = (most: number) => z.string().max(most).nullish();
const Names = z.array(z.string().min(1).max(500)).max(50).nullish();

const LlmLink = z.object({
  llm_id: z.string().min(1),
  role: z.enum(['orchestrator', 'enhancer', 'general']).default('orchestrator'),
});

const SkillLink = z.object({
  skill_id: z.string().min(1),
  skill_type: z.string().min(1),
  skill_name: z.string().max(100).nullish(),
  skill_description: z.string().max(2_000).nullish(),
});
export type SkillLink = z.infer<typeof SkillLink>;

const setup = {
  name: z.string().trim().min(1).max(200).nullish(),
  description: Text(4_000),
  llm_links: z.array(LlmLink).max(10).nullish(),
  skill_links: z.array(SkillLink).max(50).nullish(),
};
const access = {
  available_for_all_users: z.boolean().nullish(),
  /** Beyond the original: who may use it, by the names they come in with. */
  people: Names,
  designation_ids: Names,
  business_unit_ids: Names,
  tag_ids: Names,
};
const context = {
  persona_id: Text(100),
  persona_text: Text(20_000),
  guardrail_category_ids: Names,
  guardrail_text: Text(20_000),
  /** Beyond the original: whether guards look at the answer alone. */
  guardrail_covers: z.enum(['answer', 'everything']).nullish(),
  data_source_ids: Names,
  upload_enabled: z.boolean().nullish(),
};
const chat = {
  welcome_prompt: Text(4_000),
  disclaimer: Text(4_000),
  sorry_message: Text(4_000),
  starter_questions: Names,
};

/** The parts of an application that can be changed by themselves. What is null or missing stays as it is. */
export const ApplicationParts = {
  setup: z.strictObject(setup),
  access: z.strictObject(access),
  context: z.strictObject(context),
  'chat-config': z.strictObject(chat),
} as const;

/** What an application can be changed to. */
export const ApplicationChange = z.strictObject({ ...setup, ...access, ...context, ...chat });
export type ApplicationChange = z.infer<typeof ApplicationChange>;

export const NewApplication = ApplicationChange.extend({ name: z.string().trim().min(1).max(200) });

const texts = z.array(z.string());

/** An application as it is told. */
export const Application = z.object({
  application_id: z.string(),
  user_id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(['draft', 'published', 'error']),
  error_message: z.string().nullable(),
  available_for_all_users: z.boolean(),
  people: texts,
  upload_enabled: z.boolean(),
  welcome_prompt: z.string().nullable(),
  disclaimer: z.string().nullable(),
  sorry_message: z.string().nullable(),
  starter_questions: texts,
  persona_id: z.string().nullable(),
  persona_text: z.string().nullable(),
  guardrail_text: z.string().nullable(),
  guardrail_covers: z.string(),
  logo_url: z.string().nullable(),
  llm_links: z.array(z.object({ llm_id: z.string(), role: z.string() })),
  skill_links: z.array(
    z.object({
      skill_id: z.string(),
      skill_type: z.string(),
      skill_name: z.string(),
      skill_description: z.string(),
    }),
  ),
  data_source_ids: texts,
  designation_ids: texts,
  business_unit_ids: texts,
  tag_ids: texts,
  guardrail_category_ids: texts,
  /** What it still needs to be published. */
  missing: texts,
  updated_at: z.string(),
});
export type Application = z.infer<typeof Application>;

export const ConversationState = z.enum([
  'awaiting_input',
  'awaiting_clarification',
  'executing',
  'awaiting_hitl_review',
]);
export type ConversationState = z.infer<typeof ConversationState>;

export const ChatRequest = z.object({
  message: z.string().min(1).max(1_000_000),
  session_id: z.string().min(1).max(200).nullish(),
});

export const HitlContext = z.object({
  title: z.string(),
  message: z.string(),
  priority: z.string(),
  allowed_decisions: texts,
  run_id: z.string(),
  /** Beyond the original: of what is shown. */
  fingerprint: z.string(),
  node_outputs: z.record(z.string(), z.unknown()),
});

/** A message that comes while a person is asked. */
export const HitlRefusal = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
  session_id: z.string(),
  conversation_state: ConversationState,
  hitl_context: HitlContext,
});

const LogEntry = z.object({
  step: z.int(),
  skill_id: z.string(),
  skill_type: z.string(),
  skill_name: z.string(),
  status: z.string(),
  duration_ms: z.number(),
  error: z.string().nullable(),
});

export const ExecutionTrace = z.object({
  run_id: z.string(),
  plan: z.unknown(),
  execution_log: z.array(LogEntry),
  skills_invoked: texts,
  total_duration_ms: z.number(),
  status: z.string(),
});

export const ChatMessage = z.object({
  message_id: z.string(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  enhanced_prompt: z.string().optional(),
  execution_trace: ExecutionTrace.optional(),
  guardrail_flags: z.record(z.string(), z.unknown()).optional(),
  created_at: z.string(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

const SessionMetadata = z.object({
  app_name: z.string(),
  app_description: z.string(),
  app_logo_url: z.string().nullable(),
  welcome_prompt: z.string().nullable(),
  disclaimer: z.string().nullable(),
  starter_questions: texts,
});

export const ChatAnswer = z.object({
  session_id: z.string(),
  message: ChatMessage,
  conversation_state: ConversationState,
  hitl_context: HitlContext.optional(),
  session_metadata: SessionMetadata.optional(),
});

export const HitlDecision = z.object({
  session_id: z.string().min(1).max(200),
  action: z.enum(['approve', 'reject', 'edit', 'modify', 'defer']),
  payload: z.object({ changes: z.unknown() }).loose().nullish(),
  rationale: z.string().max(10_000).nullish(),
  /** Beyond the original: of what was shown. Needed where more than one question is open. */
  fingerprint: z.string().max(200).nullish(),
});

export const HitlAnswer = z.object({
  status: z.enum(['completed', 'interrupted', 'rejected', 'deferred']),
  message: z.string(),
  session_id: z.string(),
  conversation_state: ConversationState,
  execution_trace: ExecutionTrace.optional(),
});

export const UploadedDocument = z.object({
  session_id: z.string(),
  document_id: z.string(),
  filename: z.string(),
  status: z.enum(['pending', 'processing', 'ready', 'failed']),
});

export const ListedSession = z.object({
  session_id: z.string(),
  title: z.string(),
  conversation_state: ConversationState,
  updated_at: z.string(),
});

export const ChatSession = ListedSession.extend({ messages: z.array(ChatMessage) });
