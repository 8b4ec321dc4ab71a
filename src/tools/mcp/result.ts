import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { deepest, isTooDeep } from '../../run/depth.ts';
import { RunError } from '../../run/failure.ts';
import { Json, type Attachment } from '../../run/values.ts';
import { quoted } from './failure.ts';
import type { ToolContext } from '../tool.ts';

/**
 * What a call gave, as the model reads it: the structured content if there is one, else its text. Images, sounds and
 * files hang on the step, and a line in their place says so.
 */
export async function readResult(tool: string, result: CallToolResult, context: ToolContext): Promise<Json> {
  const { parts, structuredContent } = await together(result, context);
  const text = parts.map(({ line }) => line).join('\n');
  if (result.isError === true)
    throw new RunError('rejected', `${tool} failed: ${quoted(text || 'no reason given')}`);
  for (const { attachment } of parts) {
    if (attachment !== undefined) context.attach({ kind: 'attachment', attachment });
  }
  return structuredContent === undefined ? text : structured(tool, structuredContent);
}

interface Read {
  readonly parts: readonly Part[];
  readonly structuredContent?: unknown;
}

/** Half of a secret may stand in the text and half in what is structured, in either order: they are looked at as one. */
async function together(
  { content, structuredContent }: CallToolResult,
  { clean = same }: ToolContext,
): Promise<Read> {
  const parts = content.map(readPart);
  if (structuredContent === undefined) return { parts };
  const lines = parts.map(({ line }) => line);
  const [first, behind] = await clean([lines, structuredContent] as const);
  const [before, last] = await clean([behind, first] as const);
  const cleaned = parts.map((part, i) => (part.line === last[i] ? part : withLine(part, last[i] ?? '')));
  return { parts: cleaned, structuredContent: before };
}

async function same<T>(value: T): Promise<T> {
  return value;
}

function withLine({ line, attachment }: Part, cleaned: string): Part {
  if (attachment === undefined) return { line: cleaned };
  const data = attachment.data === line ? cleaned : attachment.data;
  return { line: cleaned, attachment: { ...attachment, data } };
}

function structured(tool: string, content: unknown): Json {
  if (isTooDeep(content))
    throw new RunError('too-large', `${tool} gave a result nested deeper than ${deepest} levels.`);
  return Json.parse(content);
}

interface Part {
  readonly line: string;
  readonly attachment?: Attachment;
}

function readPart(part: ContentBlock): Part {
  switch (part.type) {
    case 'text':
      return { line: part.text };
    case 'image':
    case 'audio':
      return { line: `[attached: ${part.mimeType}]`, attachment: { type: part.mimeType, data: part.data } };
    case 'resource':
      return readResource(part.resource);
    case 'resource_link': {
      const { uri, name, title = name } = part;
      return { line: `[linked: ${title} ${uri}]`, attachment: { ...linkTo(uri, part.mimeType), title } };
    }
  }
}

/** Only a web address may become a link; any other scheme (`file:`, `javascript:`, the server's own) stays text. */
function linkTo(uri: string, type = 'application/octet-stream'): Attachment {
  return /^https?:/i.test(uri) ? { type, url: uri } : { type: 'text/uri-list', data: uri };
}

type Resource = Extract<ContentBlock, { type: 'resource' }>['resource'];

function readResource(resource: Resource): Part {
  const { uri } = resource;
  if ('text' in resource) {
    const type = resource.mimeType ?? 'text/plain';
    return { line: resource.text, attachment: { type, title: uri, data: resource.text } };
  }
  const type = resource.mimeType ?? 'application/octet-stream';
  return { line: `[attached: ${uri} ${type}]`, attachment: { type, title: uri, data: resource.blob } };
}
