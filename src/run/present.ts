/** Without the fields that have nothing in them, so that JSON and comparison see only what is there. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value as Exclude<T[typeof name], undefined>;
  }
  return kept;
}

/** A text or list, if there is anything in it. */
export function filled<T extends { readonly length: number }>(value: T): T | undefined {
  return value.length > 0 ? value : undefined;
}
