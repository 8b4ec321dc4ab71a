// What tests of the official OpenAI client share.
import OpenAI from 'openai';
import { afterEach, expect, vi } from 'vitest';
import { serving, temporaryFolder, type Serving } from '../serving.ts';
import { team } from './team.ts';

export function clientOf(url: string, more: object = {}): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', ...more });
}

/** Whatever a client prints is a warning: none of the tests of a file may print anything. */
export function expectNothingPrinted(): void {
  const printed = (['warn', 'error', 'log'] as const).map((name) => vi.spyOn(console, name));
  afterEach(() => expect(printed.flatMap((spy) => spy.mock.calls)).toEqual([]));
}

/** The team behind a server in this process. */
export async function teamServer(): Promise<Serving & { readonly folder: string }> {
  const folder = temporaryFolder();
  return { ...(await serving({ config: team(folder) })), folder };
}
