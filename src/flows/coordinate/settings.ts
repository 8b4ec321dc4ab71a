import type { OnFailure } from '../plan.ts';

/** Someone a coordinator may send work to: an agent, or another coordinator with agents of its own. */
export interface Delegate {
  readonly name: string;
  readonly title?: string;
  readonly icon?: string;
  readonly description: string;
  /** Named facts it is told of, published by others in this conversation. */
  readonly receives?: readonly string[];
  /** It coordinates in turn: the same tree, the same budget. */
  readonly team?: CoordinateSettings;
}

export interface CoordinateSettings {
  /** The model that chooses. */
  readonly router: string;
  /** The model that writes the answer. */
  readonly writer: string;
  readonly agents: readonly Delegate[];
  /** Who works when the router does not know. */
  readonly fallback: string;
  /** What becomes of work that needs what somebody who failed was to find: `skip` unless said. */
  readonly onFailure?: OnFailure;
  /** How many earlier exchanges are sent along; 8 unless said. */
  readonly exchanges?: number;
  /** And how many characters of them, about four to a token; 24,000 unless said. */
  readonly characters?: number;
}
