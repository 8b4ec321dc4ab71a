import type { Config } from '../../catalog/config.ts';
import { secretsInAddress, secretsInCommand } from '../../catalog/literal-secrets.ts';
import { isTool } from '../../catalog/tool-source.ts';
import { Secrets, shortestSecret } from '../../guards/secrets.ts';
import { RunError } from '../../run/failure.ts';

/** Where a secret is, as a configuration says it. */
interface SecretReference {
  readonly env: string;
}

/** What a secret is now, or a failure that names the variable it should be in. */
export function secretIn({ env }: SecretReference): string {
  const value = process.env[env];
  if (value) return value;
  throw new RunError('unauthenticated', `set the environment variable ${env}.`);
}

/** The keys of agents, and of the models they are, must be there: what would fail at the first message fails now. */
export function expectKeys({ agents, models, secrets }: Config): void {
  const keys = Object.entries(agents).flatMap(([name, { model = '', dial, conversation }]) => [
    { place: `agents.${name}.dial.key`, key: dial?.key },
    { place: `agents.${name}.conversation.key`, key: conversation?.key },
    { place: `models.${model}.key`, key: models[model]?.key },
  ]);
  const named = secrets.map((key, i) => ({ place: `secrets[${i}]`, key }));
  const missing = [...keys, ...named].flatMap(({ place, key }) =>
    key && !process.env[key.env] ? `${place}: set the environment variable ${key.env}` : [],
  );
  if (missing.length === 0) return;
  const told = [...new Set(missing)].join('; ');
  throw new RunError('malformed', `The configuration does not fit: ${told}.`);
}

/** The secrets a configuration refers to, with what should be known about them. */
export function secretsOf(config: Config): {
  readonly secrets: Secrets;
  /** The variables they are in. */
  readonly names: readonly string[];
  readonly notices: readonly string[];
} {
  const secrets = new Secrets();
  const references = referencesIn(config);
  const short = references.filter(({ env }) => {
    const value = process.env[env];
    return value && !secrets.add(value);
  });
  const tooShort = new Set(short.map(({ env }) => env));
  const others = keysOfProviders();
  for (const env of others) secrets.add(process.env[env] ?? '');
  const literal = literalIn(config).filter(({ values }) => values.length > 0);
  for (const value of literal.flatMap(({ values }) => values)) secrets.add(value);
  return {
    secrets,
    names: [...new Set([...references.map(({ env }) => env), ...others])],
    notices: [...[...tooShort].map(shortNotice), ...literal.map(({ server }) => literalNotice(server))],
  };
}

/** What was written where everybody can read it, and should not have been. */
function literalIn({
  tools,
}: Config): readonly { readonly server: string; readonly values: readonly string[] }[] {
  return tools.flatMap((tool) => {
    if (isTool(tool) || !tool.mcp) return [];
    const { name, command, url = '' } = tool.mcp;
    return [{ server: name, values: command ? secretsInCommand(command) : secretsInAddress(url) }];
  });
}

function literalNotice(server: string): string {
  return `What looks like a secret is written into the command or address of the MCP server ${server}: it is hidden here, and every user of this machine can read it in the list of processes or the configuration. Give it as { "env": "NAME" } in its «env» or «headers».`;
}

function shortNotice(name: string): string {
  return `The value of ${name} has fewer than ${shortestSecret} characters: too short to be told from a word, so it is not hidden where a run says it. Use a longer one.`;
}

/** What the packages of providers read by themselves, whether or not a configuration names it. */
function keysOfProviders(): readonly string[] {
  return Object.keys(process.env).filter((name) => name.endsWith('_API_KEY'));
}

/** Wherever they stand: nobody has to remember to add a new place here. */
function referencesIn(value: unknown): readonly SecretReference[] {
  if (typeof value !== 'object' || value === null) return [];
  if (isReference(value)) return [value];
  // What was made by a program (a gateway, a tool) is no data, and may know everything else.
  const isData = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  if (!isData || Object.values(value).some((field) => typeof field === 'function')) return [];
  return Object.values(value).flatMap(referencesIn);
}

function isReference(value: object): value is SecretReference {
  return 'env' in value && typeof value.env === 'string' && Object.keys(value).length === 1;
}
