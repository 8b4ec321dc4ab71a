// A file with a mutant says so where it runs. Otherwise nobody would see that a test was judged with the code of another one.

const mark = 'mutantThatRan';

/** What stands before the first line of the file, on the same line. */
export function marking(name: string): string {
  return `globalThis[${JSON.stringify(mark)}] = ${JSON.stringify(name)}; `;
}

/** The mutant that ran since this was last asked. */
export function takeMark(): unknown {
  const name: unknown = Reflect.get(globalThis, mark);
  Reflect.deleteProperty(globalThis, mark);
  return name;
}

export const withoutMark = 'The test ran with other code than it should have.';
