import { z } from 'zod';

const text = z.string();
const settings = z.record(z.string(), z.unknown());

/** A node of a workflow as the workflow platform writes it: everything is an agent, and its metadata say what it really is. */
export const EchoAgent = z.looseObject({
  agent_id: text,
  name: text.optional(),
  role: text.optional(),
  description: text.optional(),
  goal: text.optional(),
  backstory: text.optional(),
  llm: z.looseObject({ model: text.optional() }).optional(),
  tools: z.array(z.unknown()).optional(),
  constraints: z.looseObject({ timeout_seconds: z.number().optional() }).optional(),
  metadata: z
    .looseObject({
      node_type: text.optional(),
      ui_layout: z.looseObject({ x: z.number(), y: z.number(), icon: text.optional() }).optional(),
    })
    .optional(),
});
export type EchoAgent = z.infer<typeof EchoAgent>;

export const EchoConnection = z.looseObject({ from: text, to: text, condition: text.nullish() });
export type EchoConnection = z.infer<typeof EchoConnection>;

export const EchoWorkflow = z.looseObject({
  workflow_id: text.optional(),
  name: text,
  description: text.optional(),
  status: text.optional(),
  version: z.union([text, z.number()]).optional(),
  execution_model: text.optional(),
  /** Inline, or the id of one that is kept elsewhere. */
  agents: z.array(z.union([EchoAgent, text])),
  connections: z.array(EchoConnection).default([]),
  state_schema: settings.optional(),
  metadata: settings.optional(),
});
export type EchoWorkflow = z.infer<typeof EchoWorkflow>;
