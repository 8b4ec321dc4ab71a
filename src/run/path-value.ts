const pathWords =
  /^(path|file|folder|directory|dir|filename|filepath|directories|(path|file|folder|dir|filename)s)$/;

/** Whether a property of this name holds a path: `path`, `source_file`, `outputDirectory`, but not `file_pattern`. */
export function isPathName(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return pathWords.test(words.split(/[^a-z0-9]+/).findLast((word) => word !== '') ?? '');
}

/** One spelling for the same place: `.\docs//a/` is `docs/a`. `..` stays, since only a file system knows what it means. */
export function normalPath(text: string): string {
  if (text.includes('://')) return text;
  const segments = text.replaceAll('\\', '/').split('/');
  const named = segments.filter((segment) => segment !== '' && segment !== '.').join('/');
  const isAbsolute = segments.length > 1 && segments[0] === '';
  return isAbsolute ? `/${named}` : named || '.';
}
