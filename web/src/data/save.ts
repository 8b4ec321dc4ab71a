import type { Json } from '../../../src/run/values.ts';
import type { TableData } from './shapes.ts';

/** Gives the reader a file. */
export function save(name: string, type: string, content: string | Uint8Array<ArrayBuffer>): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 120) || 'file';
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** As spreadsheets take it from the clipboard. */
export function asTabs(table: TableData): string {
  return linesOf(table)
    .map((line) => line.map((cell) => cell.replaceAll(/[\t\n\r]+/g, ' ')).join('\t'))
    .join('\n');
}

export function asCsv(table: TableData): string {
  return linesOf(table)
    .map((line) => line.map(quoted).join(','))
    .join('\r\n');
}

function linesOf({ columns, rows }: TableData): readonly (readonly string[])[] {
  return [columns.map(({ name }) => name), ...rows.map((row) => row.map(textOf))];
}

/** A cell that begins like a formula would be run by the program that opens the file. */
function quoted(cell: string): string {
  const harmless = /^[=+@\t\r]|^-\D/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
