/** What a text says, or nothing where it is no JSON: what is wrong with it is said by the schema. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
