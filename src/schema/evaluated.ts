/** Which fields and items of a value some part of a schema has described, so that no rule for the rest applies to them. */
export class Evaluated {
  #names: Set<string> | undefined;
  #items: Set<number> | undefined;
  #upTo = 0;

  name(name: string): void {
    (this.#names ??= new Set()).add(name);
  }

  item(i: number): void {
    (this.#items ??= new Set()).add(i);
  }

  /** All items before this one. */
  itemsBefore(end: number): void {
    this.#upTo = Math.max(this.#upTo, end);
  }

  hasName(name: string): boolean {
    return this.#names?.has(name) ?? false;
  }

  hasItem(i: number): boolean {
    return i < this.#upTo || (this.#items?.has(i) ?? false);
  }

  add(other: Evaluated): void {
    for (const name of other.#names ?? []) this.name(name);
    for (const i of other.#items ?? []) this.item(i);
    this.itemsBefore(other.#upTo);
  }
}
