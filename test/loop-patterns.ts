import { RunError } from '../src/run/failure.ts';
import type { Effect, Json } from '../src/run/values.ts';
import type { Tool } from '../src/tools/tool.ts';
import type { Chance } from './random.ts';
import { toolOf } from './world.ts';

export interface AskedCall {
  readonly tool: string;
  /** The arguments as the model writes them. */
  readonly text: string;
}

/** A way in which models loop: what is asked for the n-th time, for ever. */
export interface LoopPattern {
  readonly name: string;
  /** Calls the model makes over and over that differ in more than their spelling. */
  readonly distinct: number;
  readonly isParallel?: boolean;
  readonly isAcrossAgents?: boolean;
  readonly tools: (ledger: Json[], chance: Chance) => readonly Tool[];
  readonly asks: (chance: Chance) => (round: number) => readonly AskedCall[];
}

const effects: readonly Effect[] = ['pure', 'idempotent', 'once'];
const schema = { type: 'object', additionalProperties: true };

/** Tools that write into the ledger what they do. The effect of all is the same: the world must not change by reading. */
function charging(names: readonly string[], result: (chance: Chance) => Json = () => 'done') {
  return (ledger: Json[], chance: Chance): readonly Tool[] => {
    const effect = chance.pick(effects);
    const value = result(chance);
    const act = (name: string) => (input: Json) => {
      ledger.push({ name, input });
      return value;
    };
    return names.map((name) => toolOf(name, act(name), { effect, schema }));
  };
}

/** Fails the first time it is called with anything, and is done the second time. */
function failingFirst(ledger: Json[]): readonly Tool[] {
  let tries = 0;
  const act = (input: Json): Json => {
    tries += 1;
    if (tries === 1) throw new RunError('unavailable', 'The bank does not answer.');
    ledger.push({ name: 'charge', input });
    return 'done';
  };
  return [toolOf('charge', act, { effect: 'once', schema })];
}

function call(tool: string, input: unknown): AskedCall {
  return { tool, text: JSON.stringify(input) };
}

function repeating(calls: (chance: Chance) => readonly AskedCall[]): LoopPattern['asks'] {
  return (chance) => {
    const cycle = calls(chance);
    return (round) => {
      const next = cycle[round % cycle.length];
      return next ? [next] : [];
    };
  };
}

/** The same value, spelled anew each time. */
function respelled(write: (chance: Chance, amount: number) => () => string): LoopPattern['asks'] {
  return (chance) => {
    const spell = write(chance, chance.between(1, 99));
    return () => [{ tool: 'charge', text: spell() }];
  };
}

const amounts = (chance: Chance): number => chance.between(1, 9_999);

export const loopPatterns: readonly LoopPattern[] = [
  {
    name: 'A',
    distinct: 1,
    tools: charging(['charge']),
    asks: repeating((chance) => [call('charge', { amount: amounts(chance) })]),
  },
  {
    name: 'AB',
    distinct: 2,
    tools: charging(['charge', 'refund']),
    asks: repeating((chance) => [call('charge', { amount: amounts(chance) }), call('refund', { amount: 1 })]),
  },
  {
    name: 'ABC',
    distinct: 3,
    tools: charging(['charge', 'refund', 'report']),
    asks: repeating((chance) =>
      chance.shuffle([
        call('charge', { amount: amounts(chance) }),
        call('refund', {}),
        call('report', { to: 'ann' }),
      ]),
    ),
  },
  {
    name: 'permuted keys',
    distinct: 1,
    tools: charging(['charge']),
    asks: respelled((chance, amount) => () => {
      const card = Object.fromEntries(
        chance.shuffle([
          ['number', '4111'],
          ['name', 'ann'],
          ['cvc', '1'],
        ]),
      );
      return JSON.stringify(
        Object.fromEntries(
          chance.shuffle([
            ['amount', amount],
            ['card', card],
            ['note', 'x'],
          ]),
        ),
      );
    }),
  },
  {
    name: 'whitespace',
    distinct: 1,
    tools: charging(['charge']),
    asks: respelled((chance, amount) => () => {
      const space = (): string => chance.pick(['', ' ', '  ', '\n', '\t', '\r\n ']);
      const note = `${chance.pick(['', ' ', '\\n', '\\t'])}two words${chance.pick(['', '  ', '\\n'])}`;
      return `${space()}{${space()}"amount"${space()}:${space()}${amount},${space()}"note":${space()}"${note}"${space()}}`;
    }),
  },
  {
    name: 'NFC and NFD',
    distinct: 1,
    tools: charging(['charge']),
    asks: respelled((chance, amount) => () => {
      const form = chance.pick(['NFC', 'NFD'] as const);
      return JSON.stringify({ amount, name: 'Zoë Ångström'.normalize(form), ['clé'.normalize(form)]: 1 });
    }),
  },
  {
    name: '1 and 1.0',
    distinct: 1,
    tools: charging(['charge']),
    asks: respelled((chance, amount) => () => {
      const number = chance.pick([
        `${amount}`,
        `${amount}.0`,
        `${amount}e0`,
        `${amount}0e-1`,
        `${amount}.000`,
      ]);
      return `{"amount":${number}}`;
    }),
  },
  {
    name: 'across agents',
    distinct: 1,
    isAcrossAgents: true,
    tools: charging(['charge']),
    asks: repeating((chance) => [call('charge', { amount: amounts(chance) })]),
  },
  {
    name: 'parallel batch',
    distinct: 2,
    isParallel: true,
    tools: charging(['charge', 'refund']),
    asks: (chance) => {
      const [charge, refund] = [call('charge', { amount: amounts(chance) }), call('refund', { amount: 2 })];
      const copies = Array.from({ length: chance.between(2, 6) }, () => charge);
      return () => [charge, refund, ...copies];
    },
  },
  {
    name: 'alternating arguments',
    distinct: 2,
    tools: charging(['charge']),
    asks: repeating((chance) => [call('charge', { amount: amounts(chance) }), call('charge', { amount: 0 })]),
  },
  {
    name: 'error and retry',
    distinct: 1,
    tools: failingFirst,
    asks: repeating((chance) => [call('charge', { amount: amounts(chance) })]),
  },
  {
    name: 'empty result',
    distinct: 1,
    tools: charging(['charge'], (chance) => chance.pick<Json>([null, '', [], {}, 0, false])),
    asks: repeating((chance) => [call('charge', { amount: amounts(chance) })]),
  },
];
