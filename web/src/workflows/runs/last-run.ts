import { readExpression, type Context } from '../../../../src/graph/expression.ts';
import { readTemplates } from '../../../../src/graph/template.ts';
import type { Json } from '../../../../src/run/values.ts';
import { visible } from '../../../../src/run/visible.ts';
import { readValue } from '../../canvas/model/node-fields.ts';

const longest = 160;

/** What a field would have said in the last run; nothing where that cannot be known. */
export function valueThen(
  context: Context | undefined,
  is: 'expression' | 'template' | 'value',
  written: string,
): string | undefined {
  if (!context || written.trim() === '') return undefined;
  if (is !== 'expression' && !written.includes('{{')) return undefined;
  try {
    const value =
      is === 'expression'
        ? readExpression(written).evaluate(context)
        : readTemplates(is === 'value' ? readValue(written) : written).fill(context);
    return shortened(value);
  } catch {
    // What is half written, or speaks of what was not there, has no value.
    return undefined;
  }
}

function shortened(value: Json): string {
  const text = visible(typeof value === 'string' ? `“${value}”` : JSON.stringify(value));
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
