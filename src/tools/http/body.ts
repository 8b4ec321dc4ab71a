import type { Response } from 'undici';
import type { Json } from '../../run/values.ts';

export interface Body {
  readonly body: Json;
  readonly note?: string;
}

/** What was answered, as JSON or text. Bytes are counted as they come out of their compression, and no further. */
export async function readBody(response: Response, limit: number): Promise<Body> {
  const type = response.headers.get('content-type') ?? 'text/plain';
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(type);
  if (!isJson && !isText(type)) {
    await response.body?.cancel();
    return { body: null, note: `The answer is ${type.slice(0, 100)} and not text, so it is left out.` };
  }
  const { bytes, isCut } = await readBytes(response, limit);
  const text = decode(bytes, type);
  if (isCut) return { body: text, note: `Only the first ${limit} bytes of the answer are given.` };
  return { body: isJson ? parsed(text) : text };
}

function isText(type: string): boolean {
  return /^(text\/|application\/([\w.-]+\+)?(xml|javascript|x-www-form-urlencoded|x-ndjson|yaml|toml|graphql)\b)/i.test(
    type,
  );
}

async function readBytes(response: Response, limit: number): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop cancels the rest, which may be endless.
    if (size > limit) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), isCut: size > limit };
}

function decode(bytes: Buffer, type: string): string {
  const charset = /charset="?([\w:-]+)/i.exec(type)?.[1] ?? 'utf-8';
  const decoder = isKnown(charset) ? new TextDecoder(charset) : new TextDecoder();
  return decoder.decode(bytes, { stream: true });
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== '';
  } catch {
    return false;
  }
}

function parsed(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
