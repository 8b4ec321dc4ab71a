import { expect, test } from 'vitest';
import demoConfig from '../demo/vitrine.config.ts';
import { documentedRows } from './demo/documented.ts';

const config = demoConfig({ data: '/nowhere', pace: 0 });
const delegates = config.apps?.['demo']?.settings?.['agents'] as readonly { name: string; title: string }[];

/** Whether an agent asks before it is sent this. */
function isAsked(title: string, question: string): boolean {
  const name = delegates.find((delegate) => delegate.title === title)?.name ?? '';
  const rule = config.agents?.[name]?.approval ?? 'never';
  return typeof rule === 'function' ? rule(question) : rule === 'always';
}

test('[V110] the table of the demo marks exactly what asks for approval', () => {
  const asked = documentedRows().flatMap(({ questions, answers }) =>
    questions.map(({ ask, isAsked: isMarked }) => ({
      ask,
      isMarked,
      isAsked: answers.some((title) => isAsked(title, ask)),
    })),
  );
  expect(asked.length).toBeGreaterThan(25);
  expect(asked.filter((row) => row.isMarked !== row.isAsked)).toEqual([]);
  expect(asked.filter((row) => row.isMarked)).toHaveLength(3);
});
