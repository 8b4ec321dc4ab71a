import { expect } from 'vitest';
import type { Plugin } from 'vite';

/** Counts how often a component is drawn, by a line put at its beginning: \`drawn(what)\`. */
export function counting(file: string, begin: RegExp, what: string): Plugin {
  return {
    name: `counting ${file}`,
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(`/${file}`)) return undefined;
      expect(code).toMatch(begin);
      return code.replace(begin, (found) => `${found}\n(globalThis as any).drawn(${what});`);
    },
  };
}
