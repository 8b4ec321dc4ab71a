import type { Situation } from './situation.ts';

/** What the messages say about an agent: the rest of the line that begins with its name. */
export function descriptionOf(name: string, { system, question }: Situation): string {
  const line = new RegExp(
    `^[\\s>*#-]*[*"\`]*${name.replaceAll(/[^\w\s]/g, '\\$&')}[*"\`]*\\s*(?:[:–—-]|\\bis\\b)\\s*(.+)$`,
    'm',
  );
  return line.exec(system)?.[1] ?? line.exec(question)?.[1] ?? '';
}
