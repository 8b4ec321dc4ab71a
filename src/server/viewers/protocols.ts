import type { Preferences, Telling } from '../../projections/projection.ts';
import { RunError } from '../../run/failure.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';

export interface TellingOptions {
  readonly run: string;
  readonly preferences?: Preferences;
  /** Of a console: the number of the last card of the conversation's earlier runs. */
  readonly cardsBefore?: number;
}

export type Teller = (options: TellingOptions) => Telling<SseFrame>;

/** How a run is told. Those of one name share their frames; without a telling they are what the journal keeps. */
export interface Told {
  readonly as: string;
  readonly telling?: Telling<SseFrame>;
}

/** The protocols a viewer can ask for by name. */
export interface Protocols {
  readonly names: readonly string[];
  telling(as: string, options: TellingOptions): Told;
}

/** The entries themselves. */
export const nativeProtocol = 'steps';

export function protocolsOf(tellers: Readonly<Record<string, Teller>>): Protocols {
  const names = Object.keys(tellers);
  return {
    names,
    telling(as, options) {
      const tell = Object.hasOwn(tellers, as) ? tellers[as] : undefined;
      if (!tell) {
        const known = names.join(', ');
        throw new RunError('malformed', `There is no protocol «${as.slice(0, 60)}»; known: ${known}.`);
      }
      const { run: _, ...shape } = options;
      const isWhole = Object.keys(options.preferences ?? {}).length === 0;
      if (as === nativeProtocol && isWhole) return { as };
      return { as: `${as} ${JSON.stringify(shape)}`, telling: tell(options) };
    },
  };
}
