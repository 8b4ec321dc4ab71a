// What is left of secrets in many megabytes, however many secrets there are: found at one look at each byte. It shares no
// code with what hides them, so that both cannot be wrong together.

/** How many bits the beginnings of all traces are marked in. */
const bits = 22;

export class Traces {
  readonly #marked = new Uint8Array(1 << bits);
  readonly #byBeginning = new Map<number, Buffer[]>();

  constructor(texts: Iterable<string>) {
    for (const text of texts) this.#add(Buffer.from(text));
  }

  /** The traces there are in some bytes. */
  in(bytes: string | Buffer): readonly string[] {
    const given = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    const found: string[] = [];
    let four = 0;
    for (let i = 0; i < given.length; i += 1) {
      four = (four << 8) | (given[i] ?? 0);
      if (i < 3 || this.#marked[placeOf(four)] === 0) continue;
      const at = i - 3;
      for (const trace of this.#byBeginning.get(four) ?? [])
        if (given.subarray(at, at + trace.length).equals(trace)) found.push(String(trace));
    }
    return found;
  }

  #add(trace: Buffer): void {
    if (trace.length < 4) throw new Error(`«${String(trace)}» is too short to look for`);
    const beginning = trace.readInt32BE();
    this.#marked[placeOf(beginning)] = 1;
    this.#byBeginning.set(beginning, [...(this.#byBeginning.get(beginning) ?? []), trace]);
  }
}

function placeOf(four: number): number {
  return Math.imul(four, 0x9e37_79b1) >>> (32 - bits);
}
