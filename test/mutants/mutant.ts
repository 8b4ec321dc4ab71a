/** One real line, switched off. The named test must then fail; `npm test` fails if one survives. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The test that must catch it: a file, and part of a test’s name, as it is written. */
  readonly test: string;
  readonly only?: string;
  /** The test waits for what never comes: it gets seconds to see that. */
  readonly hangs?: boolean;
}
