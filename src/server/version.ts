import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of the package this runs from, which is the build or the sources: they are not equally deep in it. */
export function versionHere(): string {
  const file = findPackageJSON('..', import.meta.url) ?? '';
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
