import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sync as writeWhole } from 'write-file-atomic';
import { z } from 'zod';
import { Secrets } from '../../guards/secrets.ts';

const Names = z.array(z.string());

/** Terminals look at a folder without its configuration, so the names of its secret variables are kept beside its runs. */
const fileIn = (folder: string): string => join(folder, 'secret-names.json');

/** The secrets of a folder whose variables are set here. */
export function keptSecrets(folder: string): Secrets {
  return new Secrets(read(folder).flatMap((name) => process.env[name] ?? []));
}

/** Keep the names of all variables that were secret here. What the owner should know if that cannot be done. */
export function keepSecretNames(folder: string, names: readonly string[]): readonly string[] {
  const kept = read(folder);
  const all = [...new Set([...kept, ...names])];
  if (all.length === kept.length) return [];
  try {
    writeWhole(fileIn(folder), `${JSON.stringify(all)}\n`);
    return [];
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return [`Other terminals do not know which variables are secret: ${why}.`];
  }
}

function read(folder: string): readonly string[] {
  try {
    return Names.parse(JSON.parse(readFileSync(fileIn(folder), 'utf8')));
  } catch {
    // Without it nothing more is hidden than was when it was recorded; the next process to hold the folder writes it.
    return [];
  }
}
