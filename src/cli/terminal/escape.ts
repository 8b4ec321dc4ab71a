import { escapedUnits, visible } from '../../run/visible.ts';

/** Text from outside on one line. */
export function visibleLine(text: string): string {
  const lines = visible(text)
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

/** A line of JSON for programs, which a person may look at in a terminal. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapedUnits);
}
