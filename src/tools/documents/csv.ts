import { parse } from 'csv-parse/sync';
import type { Block } from './block.ts';

/** Longer rows are no rows of a table. Characters. */
const longestRow = 20_000;

/** The rows of a table, each value with the name of its column; nothing where the text is no table. */
export function csvBlocks(text: string): Block[] | undefined {
  const blocks: Block[] = [];
  let names: readonly string[] | undefined;
  let from = 1;
  const take = (row: readonly string[], to: number): void => {
    if (names) blocks.push({ text: told(row, names), from, to });
    names ??= row;
    from = to + 1;
  };
  try {
    parse(text, {
      bom: true,
      delimiter: [',', ';', '\t'],
      max_record_size: longestRow,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record(row: readonly string[], { lines }) {
        take(row, lines);
        return null;
      },
    });
  } catch {
    return undefined;
  }
  return blocks.length === 0 ? undefined : blocks;
}

function told(values: readonly string[], names: readonly string[]): string {
  return values
    .map((value, i) => ({ name: names[i]?.trim() ?? '', value: value.trim() }))
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => (name === '' ? value : `${name}: ${value}`))
    .join('; ');
}
