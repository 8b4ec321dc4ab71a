import type { Deciders } from '../run/deciders.ts';
import type { Gateway } from '../gateways/gateway.ts';
import type { Effect, Prices } from '../run/values.ts';
import type { Keeps, StateStrategy } from './state.ts';

/** Someone who can take a turn: a model, or an agent that lives elsewhere. */
export interface Agent {
  readonly name: string;
  readonly description: string;
  readonly gateway: Gateway;
  /** What the model behind it is called, for people to see. */
  readonly model?: string;
  /** What that model costs; absent where nobody said. */
  readonly prices?: Prices;
  /** `pure` for models; a remote agent may do things, so it is `once` unless it says otherwise. */
  readonly effect: Effect;
  /** How it remembers a conversation; `stateless` unless said. */
  readonly state?: StateStrategy;
  readonly keeps?: Keeps;
  /** Its words are those of somebody else: a service that we do not run. */
  readonly untrusted?: boolean;
  /** What it is told leaves us. */
  readonly sends?: boolean;
  /** When a person must see the message and agree before it is sent. */
  readonly approval?: 'never' | 'always' | ((message: string) => boolean);
  /** Who decides what it asks, at least, in whichever app it works. */
  readonly approvals?: Deciders | undefined;
}
