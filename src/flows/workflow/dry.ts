import { searchTools } from '../../graph/graph.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { exampleOf } from '../../schema/example.ts';
import { misfit } from '../../schema/misfit.ts';
import { connectionTool } from './called.ts';
import { merged } from './merged.ts';
import type { Means, Working } from './node.ts';
import { reviewed } from './rounds.ts';
import { filled, filledPath, filledText, titleOf, type AtWork, type Done, type NodeOf } from './sight.ts';
import { timeOf } from './waited.ts';

const code = 'DRY_RUN';

/**
 * A node in a run of which nothing may come: no model is asked, no tool is called that is not pure, nothing is waited for. What
 * it would have given is told by a stand-in, and that it is one by a notice. Undefined where it is done as ever; people are asked.
 */
export async function dryWork(at: AtWork, { means, doNode }: Working): Promise<Done | undefined> {
  const { node } = at;
  switch (node.type) {
    case 'agent':
    case 'prompt':
      return standIn(at, node.agent, answerOf({ ...at, node }));
    case 'team':
      return standIn(at, 'The team', `The team on: ${filledText(at, 'message', node.message)}`);
    case 'tool':
      return notCalled(at, { means, tool: node.tool }, () => filled(at, 'arguments', node.arguments ?? {}));
    case 'http':
      return notCalled(at, { means, tool: connectionTool(node) }, () => ({
        method: node.method,
        path: filledPath(at, 'path', node.path),
      }));
    case 'retrieve':
      return searchTools(node.settings).every((tool) => isPure(means, tool))
        ? undefined
        : standIn(at, titleOf(node), []);
    case 'guard':
      return standIn(at, titleOf(node), filledText(at, 'text', node.text));
    case 'merge':
      return node.how === 'agent'
        ? standIn(at, node.agent ?? '', await merged({ ...at, node: { ...node, how: 'text' } }))
        : undefined;
    case 'review':
      return reviewed({ ...at, node }, doNode, (inner) => {
        inner.notice(code, leftOut(node.judge));
        return Promise.resolve({ confidence: 1, feedback: '' });
      });
    case 'wait':
      return standIn(at, titleOf(node), { until: new Date(timeOf({ ...at, node })).toISOString() });
    case 'start':
    case 'end':
    case 'template':
    case 'branch':
    case 'loop':
    case 'map':
    case 'failsafe':
    case 'human':
    case 'code':
    case 'workflow':
      return undefined;
  }
}

function leftOut(who: string): string {
  return `«${who}» does nothing in a dry run: what it gives is a stand-in.`;
}

function standIn({ scope }: AtWork, who: string, output: Json): Done {
  scope.notice(code, leftOut(who));
  return { port: 'done', output };
}

/** What it would be asked, or where JSON is wanted of it, some that fits. */
function answerOf(at: AtWork<NodeOf<'agent'> | NodeOf<'prompt'>>): Json {
  const { agent, message, answer } = at.node;
  const text = filledText(at, 'message', message);
  if (answer === undefined) return `${agent} on: ${text}`;
  const example = exampleOf(answer);
  const wrong = misfit(answer, example);
  if (wrong === undefined) return example;
  const where = `«answer» of «${titleOf(at.node)}»`;
  throw new RunError(
    'malformed',
    `A dry run finds nothing that fits ${where}: ${wrong}. Give it «examples».`,
  );
}

interface Call {
  readonly means: Means;
  readonly tool: string;
}

function isPure(means: Means, tool: string): boolean {
  return means.effectOf?.(tool) === 'pure';
}

/** The call is shown with all that it would be given, and not run. What changes nothing is called as ever. */
async function notCalled(
  { scope }: AtWork,
  { means, tool }: Call,
  input: () => Json,
): Promise<Done | undefined> {
  if (isPure(means, tool)) return undefined;
  const reason = 'Not done: this is a dry run.';
  await scope.call(tool, input(), { again: true, refusal: { code, reason } });
  return { port: 'done', output: reason };
}
