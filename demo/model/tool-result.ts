import { field, isObject, type Json } from './json.ts';
import { partialJson } from './partial-json.ts';

/** What a tool gave back. */
export interface Result {
  readonly tool: string;
  /** What it was called with, where the messages still say so. */
  readonly given: Json;
  readonly isOk: boolean;
  readonly value: Json;
  /** The value was too long to be shown whole. */
  readonly isCut: boolean;
  /** Why it failed. */
  readonly error: string;
}

/** Results that stand in system messages, each in a box of double lines. */
export function boxesIn(text: string): { readonly tool: string; readonly body: string }[] {
  const box = /^═{3,}\nTOOL RESULT: (.+)\n═{3,}\n([\s\S]*?)\n═{3,}$/gm;
  return [...text.matchAll(box)].map(([, tool = '', body = '']) => ({ tool, body }));
}

/** Reads `{ ok, result }` or `{ ok, error }`, and takes anything else as the result itself. */
export function readResult(tool: string, content: string, given = ''): Result {
  const value = partialJson(content) ?? content;
  const call = { tool, given: partialJson(given) ?? {} };
  if (!isObject(value) || typeof value['ok'] !== 'boolean')
    return { ...call, isOk: true, value, isCut: false, error: '' };
  if (!value['ok']) {
    const error = field(value, 'error');
    return {
      ...call,
      isOk: false,
      value: null,
      isCut: false,
      error: typeof error === 'string' ? error : JSON.stringify(error ?? null),
    };
  }
  const result = field(value, 'result') ?? null;
  const isCut = typeof field(value, 'cut') === 'string' && typeof result === 'string';
  return { ...call, isOk: true, value: isCut ? (partialJson(result) ?? result) : result, isCut, error: '' };
}
