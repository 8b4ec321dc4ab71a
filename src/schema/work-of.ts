/** What it costs to hold one part of a schema against one value, apart from what lies below either. */
export function workOf(part: object, value: unknown): number {
  const { enum: choices, const: only, uniqueItems } = part as Readonly<Record<string, unknown>>;
  let units = 4;
  if (typeof value === 'string') units += value.length / 16;
  if (Array.isArray(choices)) units += choices.length * (1 + sizeOf(value) / 8);
  if (only !== undefined) units += sizeOf(value);
  if (Array.isArray(value)) {
    if (uniqueItems === true) units += sizeOf(value) * 2;
  } else if (typeof value === 'object' && value !== null) {
    units += Object.keys(value).length * (3 + countOf(part, 'patternProperties'));
    units +=
      (countOf(part, 'properties') + lengthOf(part, 'required') + countOf(part, 'dependentRequired')) / 8;
  }
  return units;
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
