import { readFileSync } from 'node:fs';

interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[]];
    };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** What a heap snapshot holds: bytes by what it is. */
export function bytesIn(file: string): ReadonlyMap<string, number> {
  const { snapshot, nodes, strings } = JSON.parse(readFileSync(file, 'utf8')) as Snapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name, size] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field)) as [
    number,
    number,
    number,
  ];
  const bytes = new Map<string, number>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = types[0][nodes[at + type] ?? 0] ?? '';
    // Texts are all different: they count as one.
    const what = kind.includes('string') ? kind : `${kind} ${strings[nodes[at + name] ?? 0] ?? ''}`;
    bytes.set(what, (bytes.get(what) ?? 0) + (nodes[at + size] ?? 0));
  }
  return bytes;
}
