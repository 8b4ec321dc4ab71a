import type { Protocol as AnyProtocol, Telling, ViewOptions } from '../../projections/projection.ts';
import { RunError } from '../../run/failure.ts';
import type { Framing, WireFrame } from '../../wire/framing.ts';

export type Protocol = AnyProtocol<WireFrame, Framing>;

/** How a run is told. Those of one name share their frames. */
export interface Told {
  readonly as: string;
  /** Begun by who needs it: what the journal keeps is shown as it stands. */
  readonly telling: () => Telling<WireFrame>;
  /** Its frames are what the journal keeps. */
  readonly isNative: boolean;
}

/** The protocols a viewer can ask for by name. */
export interface Protocols {
  readonly names: readonly string[];
  named(as: string): Protocol;
  telling(as: string, options: ViewOptions): Told;
}

/** The entries themselves. */
export const nativeProtocol = 'steps';

export function protocolsOf(all: readonly Protocol[]): Protocols {
  const byName = new Map(all.map((protocol) => [protocol.name, protocol]));
  const names = [...byName.keys()];
  const named = (as: string): Protocol => {
    const protocol = byName.get(as);
    if (protocol) return protocol;
    const known = names.join(', ');
    throw new RunError('malformed', `There is no protocol «${as.slice(0, 60)}»; known: ${known}.`);
  };
  return {
    names,
    named,
    telling(as, options) {
      const protocol = named(as);
      const { run: _, ...shape } = options;
      const isWhole = Object.keys(options.preferences ?? {}).length === 0;
      const isNative = as === nativeProtocol && isWhole;
      const name = isNative ? as : `${as} ${JSON.stringify(shape)}`;
      return { as: name, isNative, telling: () => protocol.telling(options) };
    },
  };
}
