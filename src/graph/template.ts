import type { Json } from '../run/values.ts';
import { ExpressionError, readExpression, type Context, type Expression } from './expression.ts';

/** A text with expressions in it. One that is nothing but `{{…}}` is its value; within text, each is told as text. */
export interface Template {
  readonly expressions: readonly Expression[];
  fill(context: Context): Json;
}

/**
 * Read once, as it stands in the definition. What data brings is put in as it is, or `written` as the place wants it, and never
 * read as a template again.
 */
export function readTemplate(text: string, written?: (value: string) => string): Template {
  const parts: (string | Expression)[] = [];
  let at = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', at)) {
    if (open > at) parts.push(text.slice(at, open));
    const close = closeOf(text, open + 2);
    parts.push(inside(text, open + 2, close));
    at = close + 2;
  }
  if (at < text.length) parts.push(text.slice(at));
  const [only] = parts;
  return {
    expressions: parts.filter((part) => typeof part !== 'string'),
    fill(context) {
      if (!written && parts.length === 1 && only !== undefined && typeof only !== 'string')
        return only.evaluate(context);
      const told = (part: Expression): string => textOf(part.evaluate(context));
      const put = (part: Expression): string => (written ? written(told(part)) : told(part));
      return parts.map((part) => (typeof part === 'string' ? part : put(part))).join('');
    },
  };
}

/** All templates of a value as a definition has it. */
export function readTemplates(value: Json): Template {
  if (typeof value === 'string') return readTemplate(value);
  if (typeof value !== 'object' || value === null) return { expressions: [], fill: () => value };
  const isList = Array.isArray(value);
  const fields = Object.entries(value).map(([key, inner]) => [key, readTemplates(inner)] as const);
  return {
    expressions: fields.flatMap(([, { expressions }]) => expressions),
    fill: (context) =>
      isList
        ? fields.map(([, inner]) => inner.fill(context))
        : Object.fromEntries(fields.map(([key, inner]) => [key, inner.fill(context)])),
  };
}

function inside(text: string, from: number, to: number): Expression {
  try {
    return readExpression(text.slice(from, to));
  } catch (thrown) {
    if (!(thrown instanceof ExpressionError)) throw thrown;
    throw new ExpressionError(thrown.message, thrown.column + from);
  }
}

/** Where the expression that begins here ends: braces of its own maps and what it quotes do not end it. */
function closeOf(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let i = from; i < text.length; i += 1) {
    const character = text[i] ?? '';
    if (quote !== '') {
      if (character === '\\') i += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{') depth += 1;
    else if (character === '}' && depth > 0) depth -= 1;
    else if (character === '}' && text[i + 1] === '}') return i;
  }
  throw new ExpressionError('«{{» is not closed: end it with «}}».', from - 1);
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
