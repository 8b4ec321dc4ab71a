/** Things that come about once, each under a name; any number may wait for the same one. */
export class Awaited<T> {
  readonly #promised = new Map<string, PromiseWithResolvers<T>>();

  of(name: string): Promise<T> {
    let promised = this.#promised.get(name);
    if (!promised) this.#promised.set(name, (promised = Promise.withResolvers<T>()));
    return promised.promise;
  }

  settle(name: string, value: T): void {
    this.#promised.get(name)?.resolve(value);
    this.#promised.delete(name);
  }
}
