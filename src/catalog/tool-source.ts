import { z } from 'zod';
import type { Tool } from '../tools/tool.ts';
import { Secret } from './server-settings.ts';

const folder = z.string().min(1);
const hosts = z.array(z.string().min(1)).exactOptional();
const mcpName = z.string().regex(/^[a-zA-Z0-9-]{1,24}$/, 'use up to 24 letters, digits and -');
const Approval = z.record(z.string(), z.enum(['never', 'always'])).exactOptional();

/** A server of tools: a program that is started here, or an address. */
const McpSource = z
  .strictObject({
    name: mcpName,
    command: z.array(z.string().min(1)).min(1).exactOptional(),
    /** Where the program is started. */
    folder: folder.exactOptional(),
    url: z.url({ protocol: /^https?$/, error: 'write an address like https://host/mcp' }).exactOptional(),
    /** Sent to the address as `Authorization: Bearer …`. */
    key: Secret.exactOptional(),
    /** By the server's own name of a tool. */
    approval: Approval,
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'give a «command» as a list of words, or a «url», and not both',
  });

const sources = ['files', 'documents', 'code', 'http', 'mcp'] as const;

/** Tools that ship, by the one word that names them. Folders are seen from the file that names them. */
const ToolSource = z
  .strictObject({
    files: folder.exactOptional(),
    documents: folder.exactOptional(),
    code: z.literal(true).exactOptional(),
    http: z
      .strictObject({ allow: hosts, deny: hosts, ports: z.array(z.int().positive()).exactOptional() })
      .exactOptional(),
    mcp: McpSource.exactOptional(),
  })
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
    const issues = ToolSource.safeParse(given).error?.issues ?? [];
    for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...path], message });
  });

export function isTool(given: Tool | ToolSource): given is Tool {
  return typeof Reflect.get(Object(given), 'run') === 'function' && 'schema' in given;
}
