import { readFileSync } from 'node:fs';

/** A row of the table of `docs/demo.md`: its questions are asked one after the other. */
export interface DocumentedRow {
  readonly questions: readonly DocumentedQuestion[];
  /** Titles of the agents that answer. */
  readonly answers: readonly string[];
}

export interface DocumentedQuestion {
  readonly ask: string;
  /** Whether the table says that it waits for an approval. */
  readonly isAsked: boolean;
}

/** What can be asked of the demo world, as its document says. */
export function documentedRows(): readonly DocumentedRow[] {
  const guide = readFileSync(new URL('../../docs/demo.md', import.meta.url), 'utf8');
  const [, table = ''] = guide.split('## What can be asked');
  return table
    .split('\n')
    .filter((line) => /^\| (◆ )?`/.test(line))
    .map((line) => {
      const [, asked = '', who = ''] = line.split('|');
      const questions = [...asked.matchAll(/(◆ )?`([^`]+)`/g)].map(([, mark, ask = '']) => ({
        ask,
        isAsked: mark !== undefined,
      }));
      return { questions, answers: who.split(',').map((title) => title.trim()) };
    });
}
