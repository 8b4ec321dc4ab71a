// npm leaves optional platform packages it could not fetch out of the lockfile without a word, and `npm ci` then refuses
// that lockfile in every fresh clone. Addresses would tie the lockfile to one registry.
import { readFileSync } from 'node:fs';

interface Package {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
type Packages = Readonly<Record<string, Package>>;

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Packages };
const faults = [...missing(packages), ...addressed(packages)];
if (faults.length > 0) {
  console.error(`package-lock.json is not usable in a fresh clone:\n${faults.join('\n')}`);
  process.exit(1);
}

function missing(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isInstalled(packages, place, name))
      .map((name) => `${place} needs ${name}: choose a version all of whose platform packages exist.`),
  );
}

/** As Node looks for it: beside the package that needs it, then in every folder above. */
function isInstalled(packages: Packages, place: string, name: string): boolean {
  if (packages[`${place === '' ? '' : `${place}/`}node_modules/${name}`]) return true;
  return place !== '' && isInstalled(packages, place.slice(0, Math.max(0, place.lastIndexOf('/'))), name);
}

function addressed(packages: Packages): string[] {
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
    .map(([place]) => `${place} names a registry: add packages with npm run deps.`);
}
