import { extractText, getDocumentProxy } from 'unpdf';
import { RunError } from '../../run/failure.ts';
import type { ToolContext } from '../tool.ts';

/** What a PDF is read from and how much of it. */
export interface PdfInput {
  readonly bytes: Uint8Array;
  /** Characters. */
  readonly most: number;
}

/** What a PDF says, page by page, as far as it fits. It is loaded in a thread that reads one and is killed from outside. */
export async function pagesOf({ bytes, most }: PdfInput, _context: ToolContext): Promise<string[]> {
  const { text } = await extractText(await opened(bytes), { mergePages: false });
  let left = most;
  return text.map((page) => {
    const fitting = page.slice(0, left).toWellFormed();
    left -= fitting.length;
    return fitting;
  });
}

async function opened(bytes: Uint8Array): ReturnType<typeof getDocumentProxy> {
  try {
    // Fonts and pictures need not be made up: nobody looks at it.
    return await getDocumentProxy(bytes, { disableFontFace: true, useSystemFonts: false, verbosity: 0 });
  } catch (cause) {
    const why =
      cause instanceof Error && cause.name === 'PasswordException' ? 'asks for a password' : 'is no PDF';
    throw new RunError('malformed', `it ${why}`, { cause });
  }
}
