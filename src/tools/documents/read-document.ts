import { extname } from 'node:path';
import { failureOf } from '../../run/failure.ts';
import { readOpened, readText } from '../files/read-text.ts';
import type { Root } from '../files/root.ts';
import { runKillable } from '../killable/killable.ts';
import type { ToolContext } from '../tool.ts';
import type { PdfInput } from './pdf.worker.ts';
import { isDocument, isPdf, pageBreak } from './text.ts';

const pdf = {
  module: new URL(`./pdf.worker${extname(import.meta.url)}`, import.meta.url),
  export: 'pagesOf',
  memory: 256,
  env: {},
};
/** Of the text in a PDF: as much as a file of text may have. */
const mostText = 1_048_576;
/** Of a text that somebody sent: what comes after it is not searched. Bytes. */
const mostSent = 4 * mostText;
const limit = { milliseconds: 20_000, sentence: 'reading it takes more than 20 seconds' };

/** A document as text, or why there is none of it. */
export type ReadDocument = { readonly text: string } | { readonly why: string };

/** A file may have gone away since its name was seen, or may not be read: then it says nothing. */
export async function readDocument(root: Root, path: string, context: ToolContext): Promise<ReadDocument> {
  if (!isPdf(path)) return { text: (await readText(root, path)) ?? '' };
  const bytes = await readOpened(root, path, (handle) => handle.readFile());
  return bytes ? readPdf(path, { bytes, most: mostText }, context) : { text: '' };
}

/** The same of a document that somebody sent. */
export async function readSent(name: string, bytes: Uint8Array, context: ToolContext): Promise<ReadDocument> {
  if (!isDocument(name)) return { why: 'it is no Markdown, text, HTML, CSV, JSON or PDF' };
  if (isPdf(name)) return readPdf(name, { bytes, most: mostText }, context);
  const text = new TextDecoder().decode(bytes.subarray(0, mostSent));
  if (text.includes('\0')) return { why: 'it is no text' };
  return text.trim() === '' ? { why: 'it is empty' } : { text };
}

/** Whatever is in a PDF, it is read where it can be ended: it may need for ever, or all memory. */
async function readPdf(path: string, input: PdfInput, context: ToolContext): Promise<ReadDocument> {
  try {
    const pages = await runKillable(pdf, { name: `reading ${path}`, input, limit }, context);
    const text = Array.isArray(pages) ? pages.join(pageBreak) : '';
    return text.trim() === '' ? { why: 'it has no text, only pictures' } : { text };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { code, message } = failureOf(thrown);
    return { why: code === 'internal' ? 'it is broken' : message };
  }
}
