import type { Json } from '../../src/run/values.ts';

/** What a stand-in agent was asked, without the facts and files that came along. */
export function questionIn(content: string): string {
  return content.split(/\n\n(?:Facts other agents shared|Attachment ")/)[0] ?? '';
}

/** What hangs on a message: the file it names (`file=a.txt`), small, or large if its name says so. */
export function filesFor(question: string): readonly File[] {
  const [, title] = /file=(\S+)/.exec(question) ?? [];
  if (title === undefined) return [];
  return [{ type: 'text/plain', title, data: `of ${title} `.repeat(title.startsWith('large') ? 5_000 : 1) }];
}

interface File {
  readonly type: string;
  readonly title: string;
  readonly data: string;
}

/** The calls an agent made for a question: one, or as many as it says (`calls=7`), each with two results. */
export function callsFor(question: string): Json[] {
  const count = Number(/calls=(\d+)/.exec(question)?.[1] ?? 1);
  return Array.from({ length: count }, (_, i): Json[] => {
    const ids = [`${question} ${i}a`, `${question} ${i}b`];
    const tool_calls = ids.map((id) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: '{}' },
    }));
    const results = ids.map((id) => ({ role: 'tool', content: `of ${id}`, tool_call_id: id, name: 'look' }));
    return [{ role: 'assistant', content: '', tool_calls }, ...results];
  }).flat();
}

/** What an agent leaves behind: calls where it is restored, facts where it shares, a note where nobody asks for it. */
export function stateFor(agent: string, question: string): Json {
  if (agent === 'shared') return { shared: { last: question } };
  if (agent === 'stateless') return { note: question };
  const padding = Number(/size=(\d+)/.exec(question)?.[1] ?? 0);
  return { tool_call_history: callsFor(question), ...(padding > 0 ? { padding: 'x'.repeat(padding) } : {}) };
}
