import type { Json } from '../../src/wire/json.ts';

/** JSON as Python's `json.dumps` writes it: a space after every colon and comma, and ASCII only. */
export function pythonJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([name, each]: [string, Json]) => `${text(name)}: ${pythonJson(each)}`,
    );
    return `{${entries.join(', ')}}`;
  }
  return typeof value === 'string' ? text(value) : JSON.stringify(value);
}

function text(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
