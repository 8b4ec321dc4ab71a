import { z } from 'zod';
import { plainWords } from '../run/plain-words.ts';
import type { Tool } from '../tools/tool.ts';
import { Effect } from '../run/values.ts';
import { secretName } from './literal-secrets.ts';
import { Secret } from './server-settings.ts';

const folder = z.string().min(1);
const hosts = z.array(z.string().min(1)).optional();
const mcpName = z.string().regex(/^[a-zA-Z0-9-]{1,24}$/, 'use up to 24 letters, digits and -');
const Approval = z.record(z.string(), z.enum(['never', 'always'])).optional();

/** Values by name: a secret is a reference, anything else may stand in the file. */
const Values = z
  .record(z.string().regex(/^[\w.-]+$/), z.union([z.string(), Secret]))
  .superRefine((given, context) => {
    for (const [name, value] of Object.entries(given)) {
      if (typeof value !== 'string' || !secretName.test(name)) continue;
      const message = `looks like a secret: write { "env": "NAME" } and keep its value in that environment variable`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  });

/** A server of tools: a program that is started here, or an address. */
const McpSource = z
  .strictObject({
    name: mcpName,
    command: z.array(z.string().min(1)).min(1).optional(),
    /** Where the program is started. */
    folder: folder.optional(),
    /** Variables of the program; it gets no others but those it cannot start without. */
    env: Values.optional(),
    url: z.url({ protocol: /^https?$/, error: 'write an address like https://host/mcp' }).optional(),
    /** Sent to the address as `Authorization: Bearer …`. */
    key: Secret.optional(),
    /** Sent to the address and to nobody else. */
    headers: Values.optional(),
    /** It is ours: what its tools say of themselves counts, what they give is not foreign, and what they get has not left. */
    trusted: z.boolean().optional(),
    /** By the server's own name of a tool, whatever the tool says of itself. */
    approval: Approval,
    effect: z.record(z.string(), Effect).optional(),
    sends: z.record(z.string(), z.boolean()).optional(),
    /** Seconds it may take to come up and tell what it has; 20 unless said. */
    startSeconds: z.number().positive().max(600).optional(),
  })
  .refine(({ command, env, folder: place }) => command !== undefined || (env ?? place) === undefined, {
    error: '«env» and «folder» go with a «command»; an address has «headers» and a «key»',
  })
  .refine(({ url, headers, key }) => url !== undefined || (headers ?? key) === undefined, {
    error: '«headers» and «key» go with a «url»; a command has «env»',
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'give a «command» as a list of words, or a «url», and not both',
  });

/** A place that workflows may send requests to, by its name. */
export const Connection = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'write an address like https://host/api' }),
  /** Sent to the address as `Authorization: Bearer …`. */
  key: Secret.optional(),
  /** Sent to the address and to nobody else. */
  headers: Values.optional(),
  /** It is ours and may lie in a network of our own: what it says is not foreign, and what it gets has not left. */
  trusted: z.boolean().optional(),
});

const sources = ['files', 'documents', 'code', 'http', 'mcp'] as const;

/** Tools that ship, by the one word that names them. Folders are seen from the file that names them. */
const ToolSource = z
  .strictObject({
    files: folder.optional(),
    documents: folder.optional(),
    code: z.literal(true).optional(),
    http: z
      .strictObject({ allow: hosts, deny: hosts, ports: z.array(z.int().positive()).optional() })
      .optional(),
    mcp: McpSource.optional(),
    /** Of files and documents: hidden ones that may be seen, by their path in the folder. */
    hidden: z.array(folder).optional(),
    /** Nobody else writes there, or listens there: what comes from it is not foreign. */
    trusted: z.boolean().optional(),
  })
  .refine(({ hidden, files, documents }) => hidden === undefined || (files ?? documents) !== undefined, {
    path: ['hidden'],
    error: 'goes with «files» or «documents»',
  })
  .refine(
    ({ trusted, files, documents, http }) =>
      trusted === undefined || (files ?? documents ?? http) !== undefined,
    { path: ['trusted'], error: 'goes with «files», «documents» or «http»; an MCP server has its own' },
  )
  .refine((source) => sources.filter((word) => source[word] !== undefined).length === 1, {
    error: `give a tool { name, description, schema, effect, run }, or one of ${sources.join(', ')}`,
  });
export type ToolSource = z.infer<typeof ToolSource>;
export type McpSource = z.infer<typeof McpSource>;

/** A tool, or where tools come from. */
export const GivenTool = z
  .custom<Tool | ToolSource>(() => true)
  .superRefine((given, context) => {
    if (isTool(given)) return;
    const issues = ToolSource.safeParse(given, plainWords).error?.issues ?? [];
    for (const issue of issues) context.addIssue({ ...issue, path: [...issue.path] });
  });

export function isTool(given: Tool | ToolSource): given is Tool {
  return typeof Reflect.get(Object(given), 'run') === 'function' && 'schema' in given;
}
