import type { Json } from '../../run/values.ts';
import type { SettledCall } from './calls.ts';

/** What a model is shown of one result, in characters. */
const longestResult = 16_000;
const ruler = '═'.repeat(79);

/** What a model reads when results are there and more calls may follow. */
export const actionInstruction =
  'The results above are complete and current. Answer the user from them. Call a tool only for something that is still ' +
  'missing, and never again with the same arguments.';

/** What a model reads when it must answer. */
export const lastInstruction =
  'No tools are available any more. Answer the user now from what is above, and say openly what is missing.';

/** What a model reads when its last reply had no text, or asked for tools that are not there. */
export const againInstruction = 'Your last reply was not an answer. Reply with the answer itself, in words.';

/** A result as a model reads it. Line breaks inside are escaped, so that no result can pretend to be another box. */
export function resultBox(call: SettledCall): string {
  return [ruler, `TOOL RESULT: ${oneLine(call.tool)}`, ruler, oneLine(resultBody(call)), ruler].join('\n');
}

/** JSON leaves some breaks of lines as they are, and a model may write anything for the name of a tool. */
function oneLine(text: string): string {
  return text.replaceAll(/[\n\r\v\f\u0085\u2028\u2029]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

export function resultBody({ outcome, result = null, failure }: SettledCall): string {
  const again =
    outcome === 'reused'
      ? {
          notice:
            'You have asked for this before; it was not run again. Use this result and do not ask again.',
        }
      : {};
  if (failure)
    return JSON.stringify({ ok: false, error: failure.message, details: { code: failure.code }, ...again });
  return JSON.stringify({ ok: true, ...shown(result), ...again });
}

function shown(result: Json): { readonly result: Json; readonly cut?: string } {
  const text = JSON.stringify(result);
  if (text.length <= longestResult) return { result };
  const cut = `Only the first ${longestResult} of ${text.length} characters are shown.`;
  return { result: text.slice(0, longestResult).toWellFormed(), cut };
}

/** Calls that did not go as the model wanted, in sentences for people and for the model. */
export function noticesOf(calls: readonly SettledCall[], most: number): string[] {
  const named = (outcome: SettledCall['outcome']): string[] =>
    calls.filter((call) => call.outcome === outcome).map(({ tool }) => tool);
  const [reused, refused, left, misfits] = [
    named('reused'),
    named('refused'),
    named('left'),
    named('misfit'),
  ];
  const notices: string[] = [];
  if (reused.length > 0)
    notices.push(`${list(reused)}: asked for again with the same arguments, so the earlier outcome is used.`);
  if (refused.length > 0) notices.push(`${list(refused)}: not permitted now, so the call is ignored.`);
  if (left.length > 0)
    notices.push(`${list(left)}: not run, since at most ${most} may run in one tool phase.`);
  if (misfits.length > 0)
    notices.push(`${list(misfits)}: the call cannot be understood and goes back to the model.`);
  return notices;
}

/** A composed answer: what the tools returned, when the model itself says nothing. */
export function composedAnswer(problem: string, results: readonly SettledCall[]): string {
  const lines = results.map((call) => `- ${call.tool}: ${shorten(resultBody(call), 600)}`);
  const what =
    lines.length > 0 ? `What the tools returned:\n\n${lines.join('\n')}` : 'No tool returned anything.';
  return `There is no answer from the model. ${problem}\n\n${what}`;
}

function list(tools: readonly string[]): string {
  const names = tools.slice(0, 5).map((tool) => shorten(oneLine(tool), 80) || 'a call without a name');
  const more = tools.length > names.length ? ` and ${tools.length - names.length} more` : '';
  return names.join(', ') + more;
}

/** A sentence as the beginning of a longer one. */
export function clause(sentence: string): string {
  return sentence.trim().replace(/\.$/, '');
}

export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
