/**
 * Whether a path fits a pattern in which `*` stands for anything within a name, `**` for anything, and `?` for one
 * character. A pattern without `/` is about the name alone. Takes at most pattern times path steps, whatever the pattern.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const text = pattern.includes('/') ? path : (path.split('/').at(-1) ?? path);
  const parts = pattern.match(/\*\*\/?|\*|\?|[^*?]/gsu) ?? [];
  // reachable[i]: the pattern so far can account for exactly the first i characters.
  let reachable = Array.from({ length: text.length + 1 }, (_, i) => i === 0);
  for (const part of parts) reachable = advance(reachable, part, text);
  return reachable[text.length] === true;
}

function advance(reachable: readonly boolean[], part: string, text: string): boolean[] {
  const next = Array.from({ length: text.length + 1 }, () => false);
  for (let i = 0; i <= text.length; i++) {
    const extends_ = i > 0 && next[i - 1] === true;
    if (part === '*') next[i] = reachable[i] === true || (extends_ && text[i - 1] !== '/');
    else if (part === '**' || part === '**/') next[i] = reachable[i] === true || extends_;
    else if (i >= part.length && reachable[i - part.length] === true) {
      next[i] = part === '?' ? text[i - 1] !== '/' : text.startsWith(part, i - part.length);
    }
  }
  return next;
}
