import type { Telling } from '../../projections/projection.ts';
import type { Protocol, ViewOptions } from '../../projections/protocol.ts';
import { RunError } from '../../run/failure.ts';
import type { WireFrame } from '../../wire/framing.ts';

/** How a run is told. Those of one name share their frames; without a telling they are what the journal keeps. */
export interface Told {
  readonly as: string;
  readonly telling?: Telling<WireFrame>;
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
      if (as === nativeProtocol && isWhole) return { as };
      return { as: `${as} ${JSON.stringify(shape)}`, telling: protocol.telling(options) };
    },
  };
}
