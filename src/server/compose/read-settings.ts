import type { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { ToolsNow } from './named-flow.ts';
import { placeIn, readAs, type Wrong } from '../../run/values.ts';

/** The settings of an app, whole, or a failure that names each field that is wrong. */
export function readSettings<T>(schema: z.ZodType<T>, app: string, settings: object): T {
  const read = readAs(schema, settings);
  if (read.fits) return read.value;
  throw misfit(app, read.wrong);
}

export function expectNone(app: string, wrongs: readonly Wrong[]): void {
  if (wrongs.length > 0) throw misfit(app, wrongs);
}

const mostTold = 5;

function misfit(app: string, wrongs: readonly Wrong[]): RunError {
  const told = wrongs
    .slice(0, mostTold)
    .map(({ path, message }) => `${placeIn(['apps', app, 'settings', ...path])}: ${message}`);
  return new RunError('malformed', `The configuration does not fit: ${told.join('; ')}.`);
}

/** A tool that is there, or may come from a server of tools. */
export function expectTool(
  tools: ToolsNow,
  { tool: name, app, path }: { readonly tool: string; readonly app: string; readonly path: Wrong['path'] },
): void {
  const { all } = tools;
  if (all.some((tool) => tool.name === name) || tools.servers.owns(name)) return;
  const known = all.map((tool) => tool.name).join(', ') || 'none';
  throw misfit(app, [{ path, message: `there is no tool «${name}»; known: ${known}` }]);
}
