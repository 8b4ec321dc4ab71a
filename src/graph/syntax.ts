import type { ASTNode } from '@marcbachmann/cel-js';

/** A list that an expression goes through. */
export interface Comprehension {
  /** The list, as it is written. */
  readonly range: string;
  readonly column: number;
  readonly isNested: boolean;
  /** Whether each round looks at something else than its item. */
  readonly looksOutside: boolean;
}

const rounds: ReadonlySet<string> = new Set(['map', 'filter', 'all', 'exists', 'exists_one']);

/** All of an expression, the outermost first. A list, not recursion. */
export function nodesIn(ast: ASTNode): readonly ASTNode[] {
  const nodes = [ast];
  for (const node of nodes) nodes.push(...partsOf(node));
  return nodes;
}

/** The lists it goes through, those that others are made of first. */
export function comprehensionsIn(ast: ASTNode): readonly Comprehension[] {
  const found: Comprehension[] = [];
  for (const node of nodesIn(ast).toReversed()) {
    if (!isComprehension(node)) continue;
    const [, range, [variable, ...body]] = node.args;
    const inside = body.flatMap((part) => nodesIn(part));
    const own = variable?.op === 'id' ? variable.args : undefined;
    found.push({
      range: range.input.slice(range.range.start, range.range.end),
      column: node.pos + 1,
      isNested: inside.some(isComprehension),
      looksOutside: inside.some((part) => part.op === 'id' && part.args !== own),
    });
  }
  return found;
}

function isComprehension(node: ASTNode): node is Extract<ASTNode, { op: 'rcall' }> {
  return node.op === 'rcall' && rounds.has(node.args[0]) && node.args[2].length > 1;
}

function partsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    case 'list':
    case '?:':
    case '||':
    case '&&':
    case '[]':
    case '[?]':
    case '!=':
    case '==':
    case 'in':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return node.args;
  }
}
