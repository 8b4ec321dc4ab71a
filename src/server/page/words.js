import { visible } from './visible.js';

/** What an agent that answers in sections means; text without sections is its own meaning. */
export function meaning(text) {
  const parts = text.split(/^[^\S\n]*---[^\S\n]*(QUERY|RESULTS|CITATIONS|ANALYSIS)[^\S\n]*---/m);
  if (parts.length === 1) return text;
  const said = parts.filter((_, i) => i === 0 || parts[i - 1] === 'ANALYSIS');
  return said.map((part) => part.trim()).join('\n\n');
}

/** The few marks of Markdown that agents use, as elements: nothing of the text is ever read as HTML. */
export function written(text) {
  const made = document.createDocumentFragment();
  const lines = visible(text).split('\n');
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i];
    if (line.startsWith('```')) {
      const end = lines.findIndex((other, at) => at > i && other.startsWith('```'));
      const code = document.createElement('pre');
      code.textContent = lines.slice(i + 1, end < 0 ? undefined : end).join('\n');
      made.append(code);
      i = end < 0 ? lines.length : end;
    } else if (line.trim() !== '') made.append(block(line));
  }
  return made;
}

function block(line) {
  const [, heading] = /^#{1,6}\s+(.*)$/.exec(line) ?? [];
  const [, point] = /^\s*[-*]\s+(.*)$/.exec(line) ?? [];
  const made = document.createElement('p');
  if (point !== undefined) made.className = 'point';
  if (heading !== undefined) made.className = 'heading';
  made.append(...inline(heading ?? point ?? line));
  return made;
}

function inline(text) {
  return text.split(/(\*\*.+?\*\*|`[^`]+`|\*[^*\s][^*]*\*)/).map((piece) => {
    const [, name, words] = [
      [/^\*\*(.+)\*\*$/, 'strong'],
      [/^`(.+)`$/, 'code'],
      [/^\*(.+)\*$/, 'em'],
    ]
      .map(([mark, tag]) => [mark.exec(piece), tag, mark.exec(piece)?.[1]])
      .find(([found]) => found) ?? [undefined, undefined, undefined];
    if (name === undefined) return piece;
    const made = document.createElement(name);
    made.textContent = words;
    return made;
  });
}
