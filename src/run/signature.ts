import type { Json } from './values.ts';

/** PLACEHOLDER by the lead, so that the engine compiles: engineer of `run/signature.ts`, replace it whole. */
export function signatureOf(call: { tool: string; arguments: Json; schema?: Json }): string {
  return JSON.stringify([call.tool, call.arguments]);
}
