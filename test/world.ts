// A small world for tests of the engine: real stores and gateways, the machine's clock.
import type { Agent } from '../src/catalog/agent.ts';
import type { RunRequest } from '../src/front/front.ts';
import { Engine } from './engine.ts';
import type { Flow, Scope } from '../src/engine/scope.ts';
import type { Catalog, World } from '../src/engine/world.ts';
import { Secrets } from '../src/guards/secrets.ts';
import { scriptedGateway } from '../src/gateways/scripted/scripted.ts';
import type { Script } from '../src/gateways/scripted/script.ts';
import { approval, budget } from '../src/policies/standard.ts';
import type { Entry } from '../src/run/events.ts';
import { foldAll, decodeAll } from '../src/run/entries.ts';
import type { RunTree } from '../src/run/tree.ts';
import type { Effect, Json } from '../src/run/values.ts';
import { memoryStore } from '../src/stores/memory.ts';
import type { Store } from '../src/stores/store.ts';
import type { Tool, ToolContext } from '../src/tools/tool.ts';
import { newId, sha256, systemClock } from '../src/loop/machine.ts';

export interface Problem {
  readonly message: string;
  readonly cause: unknown;
}

export interface TestWorld extends World {
  readonly problems: Problem[];
}

export function testWorld(catalog: Partial<Catalog>, overrides: Partial<World> = {}): TestWorld {
  const problems: Problem[] = [];
  return {
    store: memoryStore({ now: () => Date.now() }),
    clock: systemClock,
    catalog: { flows: [], agents: [], tools: [], ...catalog },
    policies: [budget, approval],
    log: { error: ({ cause }, message) => void problems.push({ message, cause }) },
    newId,
    hash: sha256,
    secrets: new Secrets(),
    problems,
    ...overrides,
  };
}

export function flowOf(
  run: (scope: Scope, text: string) => Promise<string>,
  name = 'test',
  version = '1',
): Flow {
  return { name, version, run: (scope, { text }) => run(scope, text) };
}

export function agentOf(name: string, script: Script, effect: Effect = 'pure'): Agent {
  return { name, description: name, gateway: scriptedGateway(script), effect };
}

type Run = (input: Json, context: ToolContext) => Promise<Json> | Json;

export function toolOf(name: string, run: Run, more: Partial<Tool> = {}): Tool {
  const body = async (input: Json, context: ToolContext): Promise<Json> => run(input, context);
  return { name, description: name, schema: { type: 'object' }, effect: 'pure', run: body, ...more };
}

/** Start a run with the first flow of the world. */
export function startRun(engine: Engine, flow: Flow, more: Partial<RunRequest> = {}) {
  return engine.start({ app: 'test', flow, input: { text: 'hello' }, ...more });
}

/** Everything a run has recorded so far. */
export async function entriesOf(
  store: { readonly journal: Pick<Store['journal'], 'read'> },
  run: string,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const chunks = await store.journal.read(run, entries.length);
    const fresh = chunks.flatMap(({ frames }) => decodeAll(frames)).filter(({ seq }) => seq > entries.length);
    if (fresh.length === 0) return entries;
    entries.push(...fresh);
  }
}

export async function treeOf(store: Pick<Store, 'journal'>, run: string): Promise<RunTree> {
  return foldAll(await entriesOf(store, run));
}

/** Follow a run until its tree satisfies a condition. */
export async function until(
  store: Pick<Store, 'journal'>,
  run: string,
  isThere: (tree: RunTree) => boolean,
): Promise<RunTree> {
  const tree = foldAll([]);
  const enough = new AbortController();
  for await (const { frames } of store.journal.follow(run, 0, enough.signal)) {
    for (const entry of decodeAll(frames)) {
      foldAll([entry], tree);
      if (isThere(tree)) {
        enough.abort();
        return tree;
      }
    }
  }
  throw new Error(`the run ended (${tree.ended?.outcome}) before the condition held`);
}

export function ended(store: Pick<Store, 'journal'>, run: string): Promise<RunTree> {
  return until(store, run, (tree) => tree.ended !== undefined);
}
