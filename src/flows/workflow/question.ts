import type { Answer, Before, Scope } from '../../engine/scope.ts';
import { reachedFrom } from '../../graph/order.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { isConnected, seen, withRedone } from './edges.ts';
import { runPart, type DoNode } from './part.ts';
import { filled, seeing, titleOf, valueOf, withdrawn, type AtWork, type Done, type NodeOf } from './sight.ts';
import { present } from '../../run/tree.ts';

type Human = AtWork<NodeOf<'human'>>;

const mostRedone = 5;

/** A question to a person. An edit hands new values on, or has nodes before it done again and asks once more. */
export async function asked(at: Human, doNode: DoNode): Promise<Done> {
  let redone: Before = {};
  for (let round = 1; ; round += 1) {
    const now = after(at, redone);
    const shows = at.node.shows === undefined ? undefined : filled(now, 'shows', at.node.shows);
    const answer = await answerTo(now, questionOf(now, shows, round));
    if (answer === undefined) return { port: withdrawn, output: null };
    const again = redoIn(answer);
    if (again === undefined) {
      const done = decided(at, answer, shows);
      return Object.keys(redone).length === 0 ? done : { ...done, redone };
    }
    const names = { edits: answer.arguments ?? null };
    const title = `Again from ${titleOf(nodeIn(at, again))}`;
    const ends = await at.scope.step({ key: `again ${round + 1}`, kind: 'again', title }, (scope) =>
      redo({ ...seeing(now, names), scope }, again, doNode),
    );
    redone = { ...redone, ...ends };
  }
}

/** Undefined once nothing can come of it any more. */
async function answerTo(
  { scope, node, moot }: Human,
  question: Parameters<Scope['ask']>[0],
): Promise<Answer | undefined> {
  try {
    return await scope.ask({ ...question, unless: moot?.of(node) });
  } catch (thrown) {
    if (thrown instanceof RunError && thrown.failure.code === 'refused') return undefined;
    throw thrown;
  }
}

/** The same once nodes before it were done again. */
function after(at: Human, redone: Before): Human {
  const settled = withRedone({ ...at.settled, ...redone });
  return { ...at, settled, around: { ...at.around, nodes: { ...at.around.nodes, ...seen(settled) } } };
}

function questionOf(at: Human, shows: Json | undefined, round: number): Parameters<Scope['ask']>[0] {
  const { node } = at;
  const { allowed = [], form, priority, redo } = node;
  const again = round <= mostRedone ? redo : undefined;
  // What is shown with a form is the form filled in beforehand: it can be agreed to as it is, or changed.
  const isFilled = form !== undefined && shows !== undefined;
  return {
    key: `ask ${round}`,
    title: titleOf(node),
    allowed: [...new Set([...always, ...allowed, ...(again || isFilled ? ['edit' as const] : [])])],
    ...present({
      arguments: shows,
      schema: form,
      editSchema: form,
      priority,
      redo: again,
      expiresIn: expiryOf(at),
    }),
  };
}

/** Milliseconds. */
function expiryOf(at: Human): number | undefined {
  const { expiresIn } = at.node;
  if (expiresIn === undefined) return undefined;
  const seconds = typeof expiresIn === 'string' ? valueOf(at, 'expiresIn', expiresIn) : expiresIn;
  if (typeof seconds === 'number' && seconds > 0) return seconds * 1_000;
  const message = `«expiresIn» of «${titleOf(at.node)}» must be a number of seconds above 0.`;
  throw new RunError('malformed', message);
}

const always = ['approve', 'reject'] as const;

function redoIn({ decision, answer }: Answer): string | undefined {
  const name: unknown = decision === 'edit' ? Reflect.get(Object(answer), 'redo') : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** A node and all between it and the question, once more. All their paths lead here, so nobody has used what they gave. */
async function redo(at: Human, from: string, doNode: DoNode): Promise<Before> {
  const { scope, part, node, around } = at;
  const only = new Set(reachedFrom(withoutAfter(part, node.id), [from]));
  only.delete(node.id);
  const settled = Object.fromEntries(Object.entries(at.settled).filter(([id]) => !only.has(id)));
  const ends = await runPart(scope, { part, around, only, settled }, doNode);
  return Object.fromEntries(Object.entries(ends).filter(([id]) => only.has(id)));
}

/** The graph as if nothing came after a node. */
function withoutAfter({ nodes, edges }: Human['part'], id: string): Human['part'] {
  return { nodes, edges: edges.filter(({ from }) => from !== id) };
}

function decided(at: Human, answer: Answer, shows: Json | undefined): Done {
  const { decision, by, rationale } = answer;
  const value =
    decision === 'edit' ? answer.arguments : decision === 'approve' ? (answer.answer ?? shows) : null;
  const port = portOf(decision);
  if (port !== 'approved' && !isConnected(at.part, at.node.id, port)) throw notApproved(at, answer);
  return { port, output: { decision, by, value: value ?? null, rationale: rationale ?? null } };
}

function portOf(decision: Answer['decision']): string {
  if (decision === 'expire') return 'expired';
  return decision === 'reject' ? 'rejected' : 'approved';
}

/** Where nothing goes on from a no, it is what the graph comes to: with who, and why. */
function notApproved({ node }: Human, { decision, by, rationale }: Answer): RunError {
  const title = titleOf(node);
  if (decision === 'expire') return new RunError('timed-out', `Nobody decided «${title}» in time.`);
  return new RunError('refused', `${by} rejected «${title}»${rationale ? `: ${rationale}` : '.'}`);
}

function nodeIn({ part, node }: Human, id: string): Parameters<typeof titleOf>[0] {
  return part.nodes.find((one) => one.id === id) ?? node;
}
