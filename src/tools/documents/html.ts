import { Parser } from 'htmlparser2';
import type { Block } from './block.ts';

const dividing =
  /^(address|article|aside|blockquote|body|br|dd|div|dl|dt|figcaption|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|td|th|title|tr|ul)$/;
const silent = /^(script|style|noscript|template|svg)$/;
const heading = /^(h([1-6])|title)$/;

/** The words of a page, one block for each of its paragraphs and headings, without what is never shown. */
export function htmlBlocks(html: string): Block[] {
  const words = new Words(html);
  let unheard = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (silent.test(name)) unheard += 1;
      if (unheard > 0 || !dividing.test(name)) return;
      words.close();
      const [, title, level] = heading.exec(name) ?? [];
      if (title !== undefined) words.level = Number(level ?? 1);
    },
    onclosetag(name) {
      if (silent.test(name)) unheard -= 1;
      else if (unheard === 0 && dividing.test(name)) words.close();
    },
    ontext(text) {
      if (unheard === 0) words.hear(text, parser.startIndex);
    },
  });
  parser.end(html);
  words.close();
  return words.blocks;
}

/** Gathers the words of a block, and the lines it stands on. */
class Words {
  readonly blocks: Block[] = [];
  readonly #html: string;
  #text = '';
  #isBegun = false;
  #from = 1;
  #to = 1;
  /** How far lines are counted, and the line there. */
  #at = 0;
  #line = 1;
  /** Of the heading that is read, 0 in a paragraph. */
  level = 0;

  constructor(html: string) {
    this.#html = html;
  }

  hear(text: string, at: number): void {
    if (text.trim() !== '') {
      const lead = newlines(text.slice(0, text.length - text.trimStart().length));
      const line = this.#lineAt(at);
      if (!this.#isBegun) this.#from = line + lead;
      this.#isBegun = true;
      this.#to = line + newlines(text.trimEnd());
    }
    this.#text += text;
  }

  close(): void {
    const text = this.#text.replaceAll(/\s+/g, ' ').trim().toWellFormed();
    const { level } = this;
    if (text !== '') this.blocks.push({ text, from: this.#from, to: this.#to, ...(level > 0 && { level }) });
    this.#text = '';
    this.#isBegun = false;
    this.level = 0;
  }

  /** The parser never goes back, so what was counted is not counted again. */
  #lineAt(at: number): number {
    this.#line += newlines(this.#html.slice(this.#at, at));
    this.#at = Math.max(this.#at, at);
    return this.#line;
  }
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}
