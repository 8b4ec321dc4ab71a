/** A list that grows at its end, as a value: all lists made from one share it. */
export interface Chain<T> {
  readonly value: T;
  readonly before: Chain<T> | undefined;
}

export function listed<T>(chain: Chain<T> | undefined): readonly T[] {
  const values: T[] = [];
  for (let link = chain; link; link = link.before) values.push(link.value);
  return values.reverse();
}

export function joined<T>(first: Chain<T> | undefined, second: Chain<T> | undefined): Chain<T> | undefined {
  let chain = first;
  for (const value of listed(second)) chain = { value, before: chain };
  return chain;
}
