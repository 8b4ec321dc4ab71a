// npm leaves optional platform packages it could not fetch out of the lockfile without a word, and `npm ci` then refuses
// that lockfile in every fresh clone. Addresses would tie the lockfile to one registry, or bring something from elsewhere.

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
export type Packages = Readonly<Record<string, Package>>;
/** The packages that may, or that it is installed with `--ignore-scripts`. */
export type MayRunScripts = readonly string[] | 'none is run';

/** What would make a fresh clone install something else than this one has, or nothing at all. */
export function faultsOf(packages: Packages, mayRunScripts: MayRunScripts): string[] {
  return Object.entries(packages).flatMap(([place, found]) => [
    ...missing(packages, place, found),
    ...(isOwn(place) || found.link === true ? [] : tampered(place, found)),
    ...scripted(place, found, mayRunScripts),
  ]);
}

/** The product and its workspaces: no registry has them. */
function isOwn(place: string): boolean {
  return !place.includes('node_modules/');
}

function missing(
  packages: Packages,
  place: string,
  { dependencies, optionalDependencies }: Package,
): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies })
    .filter((name) => !isInstalled(packages, place, name))
    .map((name) => `${place} needs ${name}: choose a version all of whose packages exist.`);
}

/** As Node looks for it: beside the package that needs it, then in every folder above. */
function isInstalled(packages: Packages, place: string, name: string): boolean {
  if (packages[`${place === '' ? '' : `${place}/`}node_modules/${name}`]) return true;
  return place !== '' && isInstalled(packages, place.slice(0, Math.max(0, place.lastIndexOf('/'))), name);
}

function tampered(place: string, { resolved, integrity = '' }: Package): string[] {
  const faults: string[] = [];
  if (resolved !== undefined) faults.push(`${place} names an address: add packages with npm run deps.`);
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))
    faults.push(`${place} has no sha512 to be checked by.`);
  return faults;
}

function scripted(place: string, { hasInstallScript }: Package, allowed: MayRunScripts): string[] {
  if (allowed === 'none is run') return [];
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  if (hasInstallScript !== true || allowed.includes(name)) return [];
  return [`${place} runs a script when it is installed: do without it, or name it in allowScripts.`];
}
