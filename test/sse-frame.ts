/** JSON as Python writes it: nothing but ASCII, characters beyond as surrogate pairs. */
function ascii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function frame(value: unknown): string {
  return `data: ${ascii(value)}\n\n`;
}
