/** What HTML calls the signs that stand in keys, and what is read over in texts. */
const names = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['excl', '!'],
  ['num', '#'],
  ['dollar', '$'],
  ['percnt', '%'],
  ['lpar', '('],
  ['rpar', ')'],
  ['ast', '*'],
  ['plus', '+'],
  ['comma', ','],
  ['period', '.'],
  ['sol', '/'],
  ['colon', ':'],
  ['semi', ';'],
  ['equals', '='],
  ['quest', '?'],
  ['commat', '@'],
  ['lsqb', '['],
  ['lbrack', '['],
  ['bsol', '\\'],
  ['rsqb', ']'],
  ['rbrack', ']'],
  ['Hat', '^'],
  ['lowbar', '_'],
  ['UnderBar', '_'],
  ['grave', '`'],
  ['lcub', '{'],
  ['lbrace', '{'],
  ['verbar', '|'],
  ['vert', '|'],
  ['rcub', '}'],
  ['rbrace', '}'],
  ['nbsp', '\u00a0'],
  ['shy', '\u00ad'],
  ['zwj', '\u200d'],
  ['zwnj', '\u200c'],
  ['ZeroWidthSpace', '\u200b'],
  ['Tab', '\t'],
  ['NewLine', '\n'],
]);
const begun = new Set(
  [...names.keys()].flatMap((name) => Array.from(name, (_, i) => name.slice(0, i)).concat(name)),
);
/** The sign of an entity may be one itself, three times over: `&amp;#65;` is an «A», as `&#65;` and `&#x41;` are. */
const entity = /&(?:amp;){0,3}(?:#(?<decimal>\d{1,7});|#x(?<hex>[\da-f]{1,6});|(?<name>[a-z]{2,14});)/iy;
const beginning = /&(?:amp;){0,3}(?:#(?:\d{0,7}|x[\da-f]{0,6})|(?<name>[a-z]{0,14}))$/iy;

export interface Entity {
  readonly text: string;
  readonly end: number;
}

/** The entity that begins at an ampersand; `unfinished` if the text ends before it does. */
export function entityAt(text: string, at: number): Entity | 'unfinished' | undefined {
  beginning.lastIndex = at;
  const open = beginning.exec(text);
  if (open && begun.has(open.groups?.['name'] ?? '')) return 'unfinished';
  entity.lastIndex = at;
  const { decimal, hex, name = '' } = entity.exec(text)?.groups ?? {};
  const end = entity.lastIndex;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  if (code <= 0x10_ffff) return { text: String.fromCodePoint(code), end };
  const meant = names.get(name);
  return meant === undefined ? undefined : { text: meant, end };
}
