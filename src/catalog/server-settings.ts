import { z } from 'zod';

/** Where a secret is. The secret itself is in no file and in no journal. */
export const Secret = z.strictObject(
  { env: z.string().regex(/^[A-Za-z_]\w*$/, 'write the name of an environment variable') },
  {
    error: ({ code }) =>
      code === 'invalid_type'
        ? 'a secret is a reference: write { "env": "NAME" } and keep its value in that environment variable'
        : undefined,
  },
);

const shared = ['HS256', 'HS384', 'HS512'] as const;
const published = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const;

/** Tokens of somebody else's making. Only these algorithms count: what a token says of itself is not asked. */
const Jwt = z
  .strictObject({
    issuer: z.string().min(1),
    audience: z.string().min(1),
    algorithms: z.array(z.enum([...shared, ...published])).min(1),
    /** For HS…: what both sides know. */
    secret: Secret.optional(),
    /** For all others: the public key as PEM, or where the issuer publishes its keys. */
    publicKey: z.string().startsWith('-----BEGIN PUBLIC KEY-----').optional(),
    jwks: z.url({ protocol: /^https?$/ }).optional(),
    /** The claim that names the tenant. */
    tenant: z.string().min(1).default('tenant'),
  })
  .refine(({ secret, publicKey, jwks }) => [secret, publicKey, jwks].filter(Boolean).length === 1, {
    error: 'give exactly one of «secret», «publicKey» and «jwks»',
  })
  .refine(
    ({ algorithms, secret }) => algorithms.every((name) => (secret !== undefined) === name.startsWith('HS')),
    { error: 'HS… algorithms go with «secret», all others with «publicKey» or «jwks»' },
  );
export type JwtSettings = z.infer<typeof Jwt>;

/** Who may enter. */
export const Auth = z.strictObject({
  /** Ask for a key on this machine, too. Elsewhere one is always asked for. */
  required: z.boolean().optional(),
  /** `key`: the same, with a key that is made for whoever owns the data folder and handed to their browser by a link. */
  local: z.enum(['open', 'key']).optional(),
  jwt: Jwt.optional(),
});
export type AuthSettings = z.infer<typeof Auth>;

/** `memory` keeps nothing: for tests, and for trying things out. */
export const StoreName = z
  .string()
  .refine((name) => name !== 'postgres', {
    error: '«postgres» comes with a later version: leave «store» away to keep everything in the data folder',
    abort: true,
  })
  .pipe(z.enum(['sqlite', 'memory']));

const count = z.int().positive();

/** How much one tenant may have at once. */
export const Quotas = z.strictObject({
  /** Requests a second, on average and in one go. */
  requests: count.default(200),
  burst: count.default(2_000),
  /** Open streams and sockets. */
  streams: count.default(10_000),
  /** Runs that have not ended. */
  runs: count.default(1_000),
  /** Sessions of the console that have not ended. */
  sessions: count.default(8),
  /** Bytes of everything that is kept: the journals of all runs, also of those that have ended, and files. */
  bytes: count.default(10_000_000_000),
  /** Bytes of one file. */
  file: count.default(50 * 1024 * 1024),
});
export type QuotaSettings = z.infer<typeof Quotas>;

/** A browser sends exactly this: what has a path after it would never be met. */
const Origin = z
  .string()
  .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text, {
    error: 'write a site as https://host, without a path or a slash at the end',
  });

const address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'write an address or a range, as 10.0.0.5 or 10.0.0.0/24',
});

/** Where the server listens, and for whom. */
export const Server = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(4_177),
  /** Names this server is reached by, beside those of this machine. */
  hosts: z.array(z.string().min(1)).default([]),
  /** Web sites other than its own that may use it, as `https://host`. */
  origins: z.array(Origin).default([]),
  /** Proxies in front of it: what they alone say of where a request comes from is believed. */
  proxies: z
    .array(
      address.refine((range) => !range.endsWith('/0'), { error: 'this is everybody: name your proxies' }),
    )
    .default([]),
  quotas: Quotas.prefault({}),
  /** Seconds that what has begun may take once the process is told to end. */
  grace: z.number().min(0).max(3_600).default(5),
  /** What is told on standard error, as lines of JSON: problems, or every request as well. */
  log: z.enum(['silent', 'error', 'info']).default('error'),
});
export type ServerSettings = z.output<typeof Server>;
