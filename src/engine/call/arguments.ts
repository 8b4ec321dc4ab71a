import { deepest, isTooDeep } from '../../run/depth.ts';
import type { Failure } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import type { Tool } from '../../tools/tool.ts';
import { misfit } from '../../schema/misfit.ts';

/** Arguments larger than this are refused before anyone looks into them. */
const sizeLimit = 262_144;

/** Why these arguments cannot even be shown. */
export function tooDeepFor(name: string, input: Json): Failure | undefined {
  if (!isTooDeep(input)) return undefined;
  const message = `The arguments of ${name} are nested deeper than ${deepest} levels; make them flatter.`;
  return { code: 'malformed', message };
}

/** Why these arguments do not fit the tool, in words a model can act on. */
export function misfitOf(tool: Tool, input: Json): Failure | undefined {
  const tooDeep = tooDeepFor(tool.name, input);
  if (tooDeep) return tooDeep;
  const size = JSON.stringify(input).length;
  if (size > sizeLimit) {
    return {
      code: 'too-large',
      message: `The arguments of ${tool.name} have ${size} characters; ${sizeLimit} are allowed.`,
    };
  }
  if (hasPrototype(input)) {
    const message = `The arguments of ${tool.name} have a field «__proto__», which nothing here takes; leave it out and call again.`;
    return { code: 'malformed', message };
  }
  const errors = misfit(tool.schema, input);
  if (errors === undefined) return undefined;
  return {
    code: 'malformed',
    message: `The arguments of ${tool.name} do not fit: ${errors}. Correct them and call again.`,
  };
}

/** Much that copies an object drops this field, or takes it for the object's kind: what was shown would not be what runs. */
function hasPrototype(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototype);
}
