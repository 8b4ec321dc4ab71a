import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { linearPattern } from '../schema/linear-pattern.ts';
import { TooMuchWork, withBoundedWork } from '../schema/work.ts';
import type { Json } from '../run/values.ts';
import { jsonOf } from './json-value.ts';
import { comprehensionsIn, nodesIn, type Comprehension } from './syntax.ts';
import { sizeOf } from './work.ts';

/** What expressions of a graph may speak of. */
export const names = ['input', 'nodes', 'item', 'index', 'last', 'error', 'edits', 'now'] as const;
export type Name = (typeof names)[number];
export type Context = Readonly<Partial<Record<Name, Json>>>;

/** Why an expression cannot be used, and where in it: columns begin at 1. */
export class ExpressionError extends Error {
  readonly column: number;

  constructor(message: string, column: number) {
    super(message);
    this.column = column;
  }
}

export interface Expression {
  readonly text: string;
  /** Names it speaks of, and of `nodes` the ids; whether it may speak of any of them. */
  readonly uses: {
    readonly names: ReadonlySet<string>;
    readonly nodes: ReadonlySet<string>;
    readonly anyNode: boolean;
  };
  evaluate(context: Context): Json;
}

const longest = 10_000;
const mostItems = 10_000;
/** Characters looked at, at most, for one value. */
const mostWork = 200_000_000;

const tooMuch = 'This is too much work for an expression: give it less, or use a node of type code.';

const environment = new Environment({
  unlistedVariablesAreDyn: false,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 500, maxDepth: 30 },
});
for (const name of names) environment.registerVariable(name, 'dyn');
for (const [sign, work] of Object.entries({
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
  '%': (a: number, b: number) => a % b,
})) {
  // Numbers of JSON are doubles, and what people write beside them are integers.
  const both = (a: bigint | number, b: bigint | number): number => work(Number(a), Number(b));
  environment.registerOperator(`double ${sign} int`, both);
  environment.registerOperator(`int ${sign} double`, both);
}
environment.registerOperator('double % double', (a: number, b: number) => a % b);
environment.registerFunction('string.fits(string): bool', (text: string, pattern: string) => {
  const read = linearPattern(pattern);
  if (!read)
    throw new Error(
      `«${pattern}» cannot be looked for in bounded time: leave out what looks around or refers back.`,
    );
  return read.test(text);
});

/** What could take longer than what it is given is long. */
const refused: Readonly<Record<string, string>> = {
  matches: 'Use «fits» instead of «matches»: it takes no longer than the text is long.',
  bind: '«cel.bind» is not known here: write the value where it is used.',
};

/** Read an expression, once. What it may cost is bounded by what it is, before it is run. */
export function readExpression(text: string): Expression {
  if (text.length > longest) throw new ExpressionError(`An expression has at most ${longest} characters.`, 1);
  const parsed = told(() => environment.parse(text));
  const nodes = nodesIn(parsed.ast);
  for (const node of nodes) {
    const called = node.op === 'rcall' || node.op === 'call' ? node.args[0] : undefined;
    const why = called === undefined ? undefined : refused[called];
    if (why !== undefined) throw new ExpressionError(why, node.pos + 1);
  }
  const comprehensions = comprehensionsIn(parsed.ast);
  const nested = comprehensions.find(({ isNested }) => isNested);
  if (nested) throw new ExpressionError('A list cannot be gone through inside another one.', nested.column);
  const { error } = parsed.check();
  if (error) throw new ExpressionError(error.summary, (error.range?.start ?? 0) + 1);
  const ranges = comprehensions.map((one) => ({ ...one, read: environment.parse(one.range) }));
  const uses = usesIn(nodes);
  return {
    text,
    uses,
    evaluate(context) {
      const given = contextOf(context, uses.names);
      expectBounded({ text, nodes: nodes.length, ranges }, given);
      return told(() => jsonOf(withBoundedWork(() => parsed(given) as unknown)));
    },
  };
}

interface Costs {
  readonly text: string;
  readonly nodes: number;
  readonly ranges: readonly (Comprehension & { readonly read: (context: object) => unknown })[];
}

/** Work is counted before it is done: how much is looked at, how often. No timer says when it is enough. */
function expectBounded({ nodes, ranges }: Costs, given: Readonly<Record<string, unknown>>): void {
  const size = sizeOf(given, mostWork);
  if (size * nodes > mostWork) throw new ExpressionError(tooMuch, 1);
  let rounds = 1;
  for (const { read, column, looksOutside } of ranges) {
    const items = itemsIn(() => withBoundedWork(() => read(given)));
    if (items > mostItems)
      throw new ExpressionError(
        `A list of ${items} items is too long to go through: ${mostItems} are the most.`,
        column,
      );
    if (looksOutside) rounds = Math.max(rounds, items);
  }
  if (size * nodes * rounds > mostWork) throw new ExpressionError(tooMuch, 1);
}

/** How many items are gone through. Where there is no list, nothing is: that place is never come to, or fails by itself. */
function itemsIn(read: () => unknown): number {
  try {
    const list = read();
    return Array.isArray(list) ? list.length : 0;
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) throw new ExpressionError(tooMuch, 1);
    return 0;
  }
}

/** Only what was given and is spoken of: nothing that objects have from elsewhere is found, and no more is counted. */
function contextOf(context: Context, used: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => used.has(name)).map((name) => [name, context[name] ?? null]),
  );
}

function usesIn(nodes: readonly ASTNode[]): Expression['uses'] {
  const used = new Set<string>();
  const ids = new Set<string>();
  let [spoken, named] = [0, 0];
  for (const node of nodes) {
    if (node.op === 'id') used.add(node.args);
    if (node.op === 'id' && node.args === 'nodes') spoken += 1;
    const id = idIn(node);
    if (id === undefined) continue;
    named += 1;
    ids.add(id);
  }
  return { names: used, nodes: ids, anyNode: spoken > named };
}

/** The id of the node that is spoken of here, as in `nodes.draft` and `nodes["draft"]`. */
function idIn(node: ASTNode): string | undefined {
  if (node.op === '.' || node.op === '.?') {
    const [of, key] = node.args;
    return of.op === 'id' && of.args === 'nodes' ? key : undefined;
  }
  if (node.op !== '[]' && node.op !== '[?]') return undefined;
  const [of, key] = node.args;
  const isNamed = of.op === 'id' && of.args === 'nodes' && key.op === 'value';
  return isNamed && typeof key.args === 'string' ? key.args : undefined;
}

/** What the library throws has a place; what it does not expect is a failure of the expression as well. */
function told<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ExpressionError) throw thrown;
    if (thrown instanceof TooMuchWork) throw new ExpressionError(tooMuch, 1);
    const { summary, message, range } = thrown as {
      summary?: string;
      message: string;
      range?: { start: number };
    };
    throw new ExpressionError(plainer(summary ?? message), (range?.start ?? 0) + 1);
  }
}

/** What the library says of a list that is too short, without its words for sizes that it does not know. */
function plainer(message: string): string {
  const [, index] = /index out of bounds, index (-?\d+)/.exec(message) ?? [];
  return index === undefined ? message : `There is no item ${index} in the list: items are counted from 0.`;
}
