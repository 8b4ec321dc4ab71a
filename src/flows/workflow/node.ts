import type { Flow, RunInput } from '../../engine/scope.ts';
import { isDry } from '../../run/dry-run.ts';
import type { Effect, Json } from '../../run/values.ts';
import { answerOfAgent, answerOfPrompt, answerOfTeam } from './asked.ts';
import { called, codeRun, requested, retrieved } from './called.ts';
import { dryWork } from './dry.ts';
import { gathered, takenInto } from './edges.ts';
import { guarded } from './guarded.ts';
import { merged } from './merged.ts';
import type { DoNode } from './part.ts';
import { asked } from './question.ts';
import { looped, mapped, reviewed, safe } from './rounds.ts';
import { filled, isTrue, type AtWork, type Done, type NodeOf } from './sight.ts';
import { tried } from './tried.ts';
import { waited } from './waited.ts';
import { calledWorkflow } from './inner.ts';

/** What nodes stand on that is not in the graph. */
export interface Means {
  /** The flow that an agent with tools, or a team, works by. */
  flow(name: 'converse' | 'coordinate', settings: object): Pick<Flow, 'run'>;
  /** What a tool does to the world; of one that is not known, nothing is known. */
  effectOf?(tool: string): Effect | undefined;
}

/** What a whole run is about. */
export interface Working {
  readonly means: Means;
  readonly input: RunInput;
  /** The workflows it is in, the outermost first. */
  readonly within: readonly string[];
  /** How any node is done, also those inside one. */
  readonly doNode: DoNode;
  /** The same in a workflow inside. */
  deeper(within: readonly string[]): DoNode;
}

/** How the nodes of a run are done. */
export function nodeDoer(given: Pick<Working, 'means' | 'input' | 'within'>): DoNode {
  const working: Working = {
    ...given,
    doNode: (at) => tried(at, (again) => done(again, working)),
    deeper: (within) => nodeDoer({ ...given, within }),
  };
  return working.doNode;
}

async function done(at: AtWork, working: Working): Promise<Done> {
  const stoodFor = isDry(working.input.labels) ? await dryWork(at, working) : undefined;
  return stoodFor ?? workOf(at, working);
}

async function workOf(at: AtWork, working: Working): Promise<Done> {
  const { node, around } = at;
  switch (node.type) {
    case 'start':
      return through(around.names.input ?? null);
    case 'end':
      return through(ended({ ...at, node }));
    case 'template':
      return through(filled(at, 'value', node.value));
    case 'agent':
      return through(await answerOfAgent({ ...at, node }, working));
    case 'team':
      return through(await answerOfTeam({ ...at, node }, working));
    case 'prompt':
      return through(await answerOfPrompt({ ...at, node }));
    case 'wait':
      return through(await waited({ ...at, node }));
    case 'tool':
      return through(await called(at, node.tool, filled(at, 'arguments', node.arguments ?? {})));
    case 'merge':
      return through(await merged({ ...at, node }));
    case 'map':
      return through(await mapped({ ...at, node }, working.doNode));
    case 'failsafe':
      return through(await safe({ ...at, node }, working.doNode));
    case 'branch':
      return branched({ ...at, node });
    case 'loop':
      return looped({ ...at, node }, working.doNode);
    case 'review':
      return reviewed({ ...at, node }, working.doNode);
    case 'human':
      return asked({ ...at, node }, working.doNode);
    case 'http':
      return through(await requested({ ...at, node }));
    case 'code':
      return through(await codeRun({ ...at, node }));
    case 'retrieve':
      return through(await retrieved({ ...at, node }));
    case 'workflow':
      return through(await calledWorkflow({ ...at, node }, working));
    case 'guard':
      return guarded({ ...at, node });
  }
}

/** The way out of what has one. */
function through(output: Json): Done {
  return { port: 'done', output };
}

/** What is said at an end: what it says, or what led to it. */
function ended(at: AtWork<NodeOf<'end'>>): Json {
  const { node, part, settled } = at;
  if (node.output !== undefined) return filled(at, 'output', node.output);
  return gathered(takenInto(part, node.id, settled), settled);
}

/** The first case that is true. */
function branched(at: AtWork<NodeOf<'branch'>>): Done {
  const { cases } = at.node;
  const found = cases.find(({ when }, i) => isTrue(at, `cases.${i}.when`, when));
  const port = found?.port ?? 'otherwise';
  return { port, output: port };
}
