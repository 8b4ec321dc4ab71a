import { Deciders } from '../run/deciders.ts';
import { z } from 'zod';
import type { Gateway } from '../gateways/gateway.ts';
import { Effect, Prices } from '../run/values.ts';
import { Secret } from './server-settings.ts';
import { Keeps, StateStrategy } from './state.ts';

const milliseconds = z.number().positive();
const Timeouts = z
  .strictObject({
    connect: milliseconds.optional(),
    firstByte: milliseconds.optional(),
    idle: milliseconds.optional(),
  })
  .optional();
const size = z.int().positive().optional();
const limits = {
  /** Bytes of one event: 1 MiB of a model, 8 MiB of an agent, unless said. */
  event: size,
  /** Bytes of one answer; 64 MiB unless said. */
  answer: size,
};
const address = (example: string): z.ZodURL =>
  z.url({ protocol: /^https?$/, error: `write an address like ${example}` });

/** A model behind an OpenAI-compatible endpoint. */
export const Model = z.strictObject({
  baseUrl: address('https://host/v1'),
  model: z.string().min(1),
  key: Secret.optional(),
  /** Models of the same endpoint, asked in this order when the first cannot answer. */
  fallbacks: z.array(z.string().min(1)).optional(),
  timeouts: Timeouts,
  limits: z.strictObject(limits).optional(),
  /** What a million of its tokens cost. */
  prices: Prices.optional(),
});

/** A deployment behind DIAL Core, or an application that speaks its format. */
const DialAgent = z.strictObject({
  baseUrl: address('https://host'),
  deployment: z.string().min(1),
  apiVersion: z.string().min(1).optional(),
  key: Secret,
  timeouts: Timeouts,
  /** `part`: characters of one attachment, or of one piece of a stage; 4 Mi unless said. */
  limits: z.strictObject({ ...limits, part: size }).optional(),
});
export type DialAgent = z.infer<typeof DialAgent>;

/** A service that keeps conversations on its own side. */
const ConversationAgent = z.strictObject({
  baseUrl: address('http://host:8042'),
  /** Sent as `Authorization: Bearer …`. */
  key: Secret.optional(),
  /** When it writes a message into its history: before it acts on it, or after its answer. */
  records: z.enum(['before', 'after']).optional(),
  timeouts: Timeouts,
  limits: z.strictObject(limits).optional(),
});
export type ConversationAgent = z.infer<typeof ConversationAgent>;

/** An agent that speaks A2A: an app of another Vitrine, or of anybody. */
const A2aAgent = z.strictObject({
  /** Where its card is: the address before `.well-known/agent-card.json`, with a slash at the end. */
  url: address('http://host/a2a/app/'),
  /** Sent as `Authorization: Bearer …`. */
  key: Secret.optional(),
});
export type A2aAgent = z.infer<typeof A2aAgent>;

/** An agent that speaks AG-UI: an app of another Vitrine, or of anybody. */
const AgUiAgent = z.strictObject({
  /** Where it is asked to run. */
  url: address('http://host/ag-ui/app'),
  /** Sent as `Authorization: Bearer …`. */
  key: Secret.optional(),
});

const ways = ['model', 'gateway', 'dial', 'conversation', 'a2a', 'agUi'] as const;

/** Someone a turn can be given to, and how they are reached. */
export const AgentSettings = z
  .strictObject({
    description: z.string().default(''),
    /** A model of this configuration. */
    model: z.string().optional(),
    dial: DialAgent.optional(),
    conversation: ConversationAgent.optional(),
    a2a: A2aAgent.optional(),
    agUi: AgUiAgent.optional(),
    gateway: z.custom<Gateway>(isGateway, 'give a gateway').optional(),
    /** Whether it answers in sections (`---QUERY---` …), whose graphs, tables and documents are then shown. */
    sectioned: z.boolean().optional(),
    effect: Effect.optional(),
    /** Whether it is ours: its words are not foreign then, and what it is told has not left. Models are, unless said. */
    trusted: z.boolean().optional(),
    /**
     * How it remembers a conversation. Unless said: `restore` for a DIAL deployment and an agent of AG-UI,
     * `conversation-id` for a conversation service and an agent of A2A, else `stateless`.
     */
    state: StateStrategy.optional(),
    keeps: Keeps.optional(),
    /** When a person must see the message and agree before it is sent. */
    approval: z
      .union([
        z.enum(['never', 'always']),
        z.custom<(message: string) => boolean>((rule) => typeof rule === 'function'),
      ])
      .optional(),
    /** Who decides what it asks, at least, in whichever app it works. */
    approvals: Deciders.optional(),
  })
  .refine((settings) => ways.filter((way) => settings[way] !== undefined).length === 1, {
    error: 'say how it is reached, in one way: «model», «dial», «conversation», «a2a», «agUi» or «gateway»',
  });
export type AgentSettings = z.infer<typeof AgentSettings>;

function isGateway(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'takeTurn') === 'function';
}
