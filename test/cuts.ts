/** Bytes cut in two at every place, and into single bytes. */
export function* everyCut(bytes: Uint8Array): Iterable<Uint8Array[]> {
  for (let i = 0; i <= bytes.length; i += 1) yield [bytes.slice(0, i), bytes.slice(i)];
  yield [...bytes].map((byte) => Uint8Array.of(byte));
}

/** Bytes cut at these places, whatever numbers they are. */
export function anyCut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return edges.slice(1).map((edge, i) => bytes.slice(edges[i], edge));
}
