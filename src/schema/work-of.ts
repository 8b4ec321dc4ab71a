/** What it costs to hold one part of a schema against one value, apart from what lies below either. */
export function workOf(part: object, value: unknown): number {
  const { enum: choices, const: only, uniqueItems, items } = part as Readonly<Record<string, unknown>>;
  let units = 2;
  if (typeof value === 'string') units += value.length / 64;
  if (Array.isArray(choices)) units += choices.length * (1 + sizeOf(value) / 8);
  if (only !== undefined) units += sizeOf(value);
  if (Array.isArray(value)) {
    if (uniqueItems === true) units += isPlain(items) ? value.length : (value.length * sizeOf(value)) / 16;
  } else if (typeof value === 'object' && value !== null) {
    units += Object.keys(value).length * (1 + countOf(part, 'patternProperties'));
    units +=
      (countOf(part, 'properties') + lengthOf(part, 'required') + countOf(part, 'dependentRequired')) / 8;
  }
  return units;
}

/** Items whose type is known to be a plain one are told apart in one pass. */
function isPlain(items: unknown): boolean {
  const type = typeof items === 'object' && items !== null ? Reflect.get(items, 'type') : undefined;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.every((each) => typeof each === 'string' && each !== 'object' && each !== 'array');
}

function countOf(part: object, keyword: string): number {
  const value: unknown = Reflect.get(part, keyword);
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function lengthOf(part: object, keyword: string): number {
  const value: unknown = Reflect.get(part, keyword);
  return Array.isArray(value) ? value.length : 0;
}

/** How many values there are in a value. */
function sizeOf(value: unknown): number {
  const found = [value];
  for (const each of found) {
    if (typeof each !== 'object' || each === null) continue;
    for (const inside of Object.values(each)) found.push(inside);
  }
  return found.length;
}
