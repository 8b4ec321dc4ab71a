import { readFileSync } from 'node:fs';

/** The version of the package this runs from. */
export function versionHere(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
