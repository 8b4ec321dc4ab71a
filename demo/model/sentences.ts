import { Lexer, type Token } from 'marked';

/** A sentence of a document, word for word and without the marks of Markdown, and where it stands. */
export interface Sentence {
  readonly text: string;
  readonly section: string;
  /** Its place among the sentences of its section. */
  readonly place: number;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The sentences of Markdown or plain text. Code, tables and front matter are left out: nobody reads them aloud. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let section = '';
  let place = 0;
  for (const block of blocksOf(text)) {
    const heading = /^(?:#{1,6}\s+(.+?)\s*#*|(.+)\n(?:={3,}|-{3,}))$/.exec(block);
    if (heading) {
      section = plain(heading[1] ?? heading[2] ?? '');
      place = 0;
      continue;
    }
    for (const { segment } of segmenter.segment(plain(block))) {
      const sentence = segment.trim();
      if (!/\p{L}{2}/u.test(sentence)) continue;
      sentences.push({ text: sentence, section, place });
      place += 1;
    }
  }
  return sentences;
}

/** The first heading, which is what people call a document. */
export function titleOf(text: string): string {
  const marked = /^#\s+(.+?)\s*#*$/m.exec(text)?.[1] ?? /^(.+)\n={3,}$/m.exec(text)?.[1];
  return plain(marked ?? /^title:\s*(.+)$/m.exec(text)?.[1] ?? '');
}

/** What people read of a line: a sentence ends elsewhere where the marks around words and addresses count. */
function plain(line: string): string {
  return Lexer.lexInline(line).map(shownOf).join('');
}

function shownOf(token: Token): string {
  if ('tokens' in token && token.tokens) return token.tokens.map(shownOf).join('');
  if (token.type === 'html') return '';
  return 'text' in token ? token.text : ' ';
}

/** Paragraphs, headings and points of lists, each on one line. */
function blocksOf(text: string): string[] {
  const prose = text
    .replaceAll('\r\n', '\n')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/^(```|~~~)[\s\S]*?^\1.*$/gm, '\n')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^\s*\|.*$/gm, '\n')
    .replaceAll(/^(#{1,6}\s.*)$/gm, '\n$1\n')
    .replaceAll(/^\s*(?:[-*+]|\d+[.)])\s+/gm, '\n')
    .replaceAll(/^>\s?/gm, '');
  return prose
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map((block) => (/\n(?:={3,}|-{3,})$/.test(block) ? block : block.replaceAll(/\s*\n\s*/g, ' ')));
}
