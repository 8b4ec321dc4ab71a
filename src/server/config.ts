import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readConfig, type Config } from '../catalog/config.ts';
import { RunError } from '../run/failure.ts';

const names = ['vitrine.config.ts', 'vitrine.config.js', 'vitrine.config.json'];

export interface LoadedConfig {
  readonly config: Config;
  /** The file it came from, for sentences about it. */
  readonly where: string;
}

/** The configuration of a folder, or of the file that is named. Without a file everything is as it comes. */
export async function loadConfig(folder: string, named?: string): Promise<LoadedConfig> {
  const file =
    named === undefined ? names.map((name) => resolve(folder, name)).find(existsSync) : resolve(named);
  if (file === undefined) return { config: readConfig({}, ''), where: 'no file' };
  if (!existsSync(file)) {
    throw new RunError(
      'malformed',
      `There is no configuration at ${file}: correct --config, or leave it out.`,
    );
  }
  const value = extname(file) === '.json' ? await readJson(file) : await importDefault(file);
  return { config: readConfig(value, file), where: file };
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

async function importDefault(file: string): Promise<unknown> {
  const loaded: unknown = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  if (typeof loaded === 'object' && loaded !== null && 'default' in loaded) return loaded.default;
  throw new RunError('malformed', `${file} exports no configuration: write «export default { … }».`);
}

function unreadable(file: string, cause: unknown): RunError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RunError(
    'malformed',
    `${file} cannot be read: ${why.replace(/\.$/, '')}. Nothing was changed.`,
    { cause },
  );
}
