import type { Config } from '../catalog/config.ts';
import { isTool } from '../catalog/tool-source.ts';
import { RunError } from '../run/failure.ts';

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

/** The values of all secrets the configuration refers to: none of them may leave the house. */
export function secretsIn({ models, agents, tools, auth }: Config): readonly string[] {
  const references = [
    ...Object.values(models).map(({ key }) => key),
    ...Object.values(agents).flatMap(({ dial, conversation }) => [dial?.key, conversation?.key]),
    ...tools.map((tool) => (isTool(tool) ? undefined : tool.mcp?.key)),
    auth.jwt?.secret,
  ];
  return references.flatMap((reference) => (reference && process.env[reference.env]) || []);
}
