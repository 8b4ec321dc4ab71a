/** What a dropped flow waits for. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}
