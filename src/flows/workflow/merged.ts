import type { Json } from '../../run/values.ts';
import { doneOf, takenInto } from './edges.ts';
import { asText, titleOf, type AtWork, type NodeOf } from './sight.ts';

type Merge = NodeOf<'merge'>;

/** What came together: of those that it names, or that led to it, what each gave. */
export async function merged(at: AtWork<Merge>): Promise<Json> {
  const { scope, node, part, settled } = at;
  const taken = takenInto(part, node.id, settled);
  const wanted = node.first ? [await firstOf(at, taken)] : (node.of ?? taken);
  const outputs = wanted.flatMap((id): [string, Json][] => {
    const end = settled[id];
    return end?.outcome === 'completed' ? [[id, doneOf(end).output]] : [];
  });
  const values = outputs.map(([, output]) => output);
  switch (node.how ?? 'object') {
    case 'object':
      return node.first ? (values[0] ?? null) : Object.fromEntries(outputs);
    case 'list':
      return values;
    case 'text':
      return joined(values);
    case 'agent': {
      const text = `Make one text of these, and leave nothing out that matters.\n\n${joined(values)}`;
      return (await scope.turn(node.agent ?? '', { messages: [{ role: 'user', text }] })).text;
    }
  }
}

function joined(values: readonly Json[]): string {
  return values.map(asText).join('\n\n---\n\n');
}

/** Who was first is recorded before anything is made of it: after a recovery another could seem to be. */
function firstOf({ scope, node }: AtWork<Merge>, taken: readonly string[]): Promise<string> {
  const [id = ''] = taken;
  return scope.step({ key: 'first', kind: 'first', title: `First to ${titleOf(node)}` }, () =>
    Promise.resolve(id),
  );
}
