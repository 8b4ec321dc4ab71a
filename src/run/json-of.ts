import type { Json } from './values.ts';

/** What is left of a value that goes through JSON: results are recorded, and read back after a crash. */
export type JsonOf<T> = T extends Json
  ? T
  : T extends { toJSON(): infer Told }
    ? JsonOf<Told>
    : T extends undefined | void
      ? null
      : T extends readonly unknown[]
        ? { [Key in keyof T]: JsonOf<T[Key]> }
        : T extends object
          ? { [Key in keyof T]: JsonOf<Exclude<T[Key], undefined>> | Extract<T[Key], undefined> }
          : T;
