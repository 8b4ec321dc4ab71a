import { expect, test } from 'vitest';
import { meaningOf } from './sectioned-text.ts';

test.for([
  {
    name: 'an answer without sections',
    answer: 'Two links are down.\n--- so far ---',
    means: 'Two links are down.\n--- so far ---',
  },
  {
    name: 'the analysis of an answer in sections, with its sources',
    answer:
      'First.\n---QUERY---\nSELECT 1\n---RESULTS---\n{"rows":[]}\n---CITATIONS---\n[1] RB-001\n---QUERY---\nSELECT 2\n---ANALYSIS---\nOne link.\n',
    means: 'First.\n\nOne link.\n\nSources:\n[1] RB-001',
  },
  {
    name: 'everything where nobody says what it means',
    answer: '---RESULTS---\n{"rows":[]}',
    means: '---RESULTS---\n{"rows":[]}',
  },
])('$name', ({ answer, means }) => {
  expect(meaningOf(answer)).toBe(means);
});
