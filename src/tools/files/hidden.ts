/** What of a folder is out of reach although it lies inside. */
export interface Hiding {
  /** Hidden files and folders that may be seen, by their path in the folder. */
  readonly hidden?: readonly string[] | undefined;
  /** Folders of this machine that may not: where our own data and keys are. */
  readonly away?: readonly string[] | undefined;
}

/** Private keys, credentials and files of variables, which people keep beside their work under these names. */
const keys =
  /^id_[^.]+$|\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|env)$|^credentials\.json$|service[-_]?account.*\.json$/;
/** What people put after the name of a file they keep a copy of. */
const copies = /(?:\.(?:bak|backup|old|orig|save)|~)+$/;
/** How private keys begin, whatever their files are called. */
const beginnings = /^\s*(?:-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-)/;

/**
 * Whether a path is hidden by a name on its way. To name a hidden folder shows what lies in it, but not what is hidden
 * in there again. Capitals do not count: on many disks `.ENV` is `.env`.
 */
export function isHidden(path: string, named: readonly string[] = []): boolean {
  const way = partsOf(path);
  if (!way.some(isHiddenName)) return false;
  return !named.map(partsOf).some((open) => {
    const isAlong = open.every((name, i) => i >= way.length || way[i] === name);
    return isAlong && open.length > 0 && !way.slice(open.length).some(isHiddenName);
  });
}

/** Whether exactly this file was named. */
export function isNamed(path: string, named: readonly string[] = []): boolean {
  const way = partsOf(path).join('/');
  return named.some((open) => partsOf(open).join('/') === way);
}

/** Whether what a file begins with is a private key. */
export function isPrivateKey(beginning: string): boolean {
  return beginnings.test(beginning);
}

function partsOf(path: string): string[] {
  return path
    .toLowerCase()
    .split(/[\\/]/)
    .filter((name) => name !== '' && name !== '.');
}

function isHiddenName(name: string): boolean {
  return name.startsWith('.') || keys.test(name.replace(/[. ]+$/, '').replace(copies, ''));
}
