import { RunError } from '../../run/failure.ts';

/** Somebody whose models can be asked with nothing but a key. */
interface Provider {
  readonly name: string;
  /** Names of its models begin so. */
  readonly models: RegExp;
  readonly key: string;
  readonly baseUrl: string;
  /** A variable that says where else its API is. */
  readonly place?: string;
}

const providers: readonly Provider[] = [
  {
    name: 'Anthropic',
    models: /^claude/i,
    key: 'ANTHROPIC_API_KEY',
    baseUrl: 'https://api.anthropic.com/v1',
  },
  {
    name: 'Google',
    models: /^gemini|^gemma/i,
    key: 'GEMINI_API_KEY',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  },
  {
    name: 'OpenAI',
    models: /^(gpt|o\d|chatgpt)/i,
    key: 'OPENAI_API_KEY',
    baseUrl: 'https://api.openai.com/v1',
    place: 'OPENAI_BASE_URL',
  },
];
const usualKey = 'OPENAI_API_KEY';

export interface NamedModel {
  readonly model: string;
  readonly baseUrl: string;
  readonly key?: { readonly env: string };
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a model is that somebody names, by what the environment has; or a failure that says what is missing. */
export function namedModel(
  { model, baseUrl }: { readonly model?: string | undefined; readonly baseUrl: string | undefined },
  environment: Environment,
): NamedModel {
  if (model === undefined)
    throw new RunError('malformed', 'With --base-url, say which model with --model <name>.');
  if (baseUrl !== undefined) {
    const key = environment[usualKey] ? { key: { env: usualKey } } : {};
    return { model, baseUrl, ...key };
  }
  const { key, place, ...provider } = providerOf(model, environment);
  const elsewhere = place === undefined ? undefined : environment[place];
  return { model, baseUrl: elsewhere || provider.baseUrl, key: { env: key } };
}

function providerOf(model: string, environment: Environment): Provider {
  const own = providers.find(({ models }) => models.test(model));
  if (own && environment[own.key]) return own;
  if (own)
    throw new RunError(
      'malformed',
      `${model} is a model of ${own.name}: set ${own.key}, or say with --base-url where else it is.`,
    );
  const [only, ...others] = providers.filter(({ key }) => environment[key]);
  if (only && others.length === 0) return only;
  const keys = providers.map(({ key }) => key).join(', ');
  const why = only
    ? `keys of ${[only, ...others].map(({ name }) => name).join(' and ')} are set`
    : 'no key is set';
  throw new RunError(
    'malformed',
    `It is not known where ${model} is (${why}): say --base-url <url>, or set ${only ? 'only one' : 'one'} of ${keys}.`,
  );
}
