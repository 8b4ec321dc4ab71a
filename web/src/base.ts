/** What stands before all addresses of the app, as `/agents`, where a program has it below a prefix: the page says so. */
export const base = readBase();

function readBase(): string {
  const told = document.querySelector<HTMLMetaElement>('meta[name=base]')?.content;
  return told === undefined ? '' : new URL(told, location.origin).pathname.slice(0, -1);
}
