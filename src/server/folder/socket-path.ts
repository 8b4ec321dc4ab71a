import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A unix socket's path must fit into 104 bytes on some systems, its closing zero included. */
const longest = 100;

/** Where the process that holds a folder is reached. */
export function socketPath(folder: string): string {
  const place = canonical(folder);
  const name = `vitrine-${createHash('sha256').update(place).digest('hex').slice(0, 20)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const inside = join(place, 'control.sock');
  return Buffer.byteLength(inside) <= longest ? inside : join(tmpdir(), `${name}.sock`);
}

/** Two terminals may come to one folder by different links. */
function canonical(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Not there yet: then nobody can have come to it by another name.
    return resolve(folder);
  }
}
