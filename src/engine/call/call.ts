import type { EarlierOutcome } from '../../policies/policy.ts';
import type { Call } from '../../run/events.ts';
import { errorOf, type Failure } from '../../run/failure.ts';
import { fingerprintOf, signatureOf } from '../../run/signature.ts';
import type { BlobRef, Json } from '../../run/values.ts';
import type { Tool } from '../../tools/tool.ts';
import { checked } from '../../schema/misfit.ts';
import { absenceOf, settleAbsence } from './absent-tool.ts';
import { misfitOf, tooDeepFor } from './arguments.ts';
import { audienceOf, type Leaf, mustAsk } from '../leaf/leaf.ts';
import type { Execution } from '../execution.ts';
import { cleanLarge, isLarge, keepClean, keepLarge, resultOf } from '../record/recordable.ts';
import { runLeaf } from '../leaf/run-leaf.ts';
import { runTool } from './run-tool.ts';
import type { CallOptions, CallResult } from '../scope.ts';
import type { Standing } from '../conversation/standing.ts';
import { present } from '../../run/tree.ts';

interface Placed extends CallOptions {
  readonly parent: number;
  readonly key: string;
  readonly input: Json;
  /** Known to be wrong already. */
  readonly misfit?: Failure;
}

/** A tool call: judged, asked for, run once, recorded. How it ended is a value, since a model has to read it. */
export async function runCall(execution: Execution, name: string, request: Placed): Promise<CallResult> {
  const tooDeep = tooDeepFor(name, request.input);
  // What cannot be kept is not shown either; that is said in its place.
  if (tooDeep) return runCall(execution, name, { ...request, input: null, misfit: tooDeep });
  if (!request.misfit && absenceOf(execution, name)) {
    const misfit = await settleAbsence(execution, name, request);
    if (misfit) return runCall(execution, name, { ...request, misfit });
  }
  // What runs is what is recorded.
  const input = isLarge(request.input)
    ? await execution.busy(cleanLarge(execution, request.input))
    : execution.guarding.cleanAll(request.input);
  const shown = isLarge(input) ? await execution.busy(keepClean(execution, input)) : input;
  const leaf = callLeaf(execution, name, { ...request, input, shown });
  // Awaited only where there is something: otherwise opening stays synchronous, and branches keep their order.
  const remembered = rememberedFor(execution, leaf);
  const known = remembered && (await remembered);
  const step = await runLeaf(execution, request.parent, known ? { ...leaf, earlier: known } : leaf);
  const isReused = step.status === 'reused' || step.reusedFrom !== undefined;
  if (step.status === 'completed' || isReused) {
    const result = await execution.busy(resultOf(execution, step));
    if (!isReused) return { outcome: 'completed', result, step: step.id };
    const { failure, reusedFrom: from } = step;
    return { outcome: 'reused', result, failure, from, step: step.id };
  }
  const failure: Failure = step.failure ?? { code: 'unavailable', message: `${name} was not run.` };
  return { outcome: step.status === 'skipped' ? 'skipped' : 'failed', failure, step: step.id };
}

/** What the same call gave earlier in the conversation, where the tool lets it be remembered. */
function rememberedFor(
  execution: Execution,
  { opening }: Leaf,
): Promise<EarlierOutcome | undefined> | undefined {
  const { world, conversation, tree } = execution;
  const { call } = opening;
  const { remembers, effect } = world.catalog.tools.find(({ name }) => name === call?.tool) ?? {};
  if (!call || remembers === undefined || effect !== 'pure' || !tree.started?.earlier) return undefined;
  return execution.busy(conversation.outcome(call.signature, world.time.now() - remembers));
}

function callLeaf(execution: Execution, name: string, request: Placed & { shown: BlobRef | Json }): Leaf {
  const { tools } = execution.world.catalog;
  const tool = tools.find((candidate) => candidate.name === name) ?? missingTool(name, tools);
  const callOf = (input: Json, shown: BlobRef | Json): Call => ({
    id: request.id ?? request.key,
    tool: name,
    arguments: shown,
    signature:
      recordedSignature(execution, request) ??
      fingerprintOf(signatureOf({ tool: name, arguments: input, schema: tool.schema }), execution.world.hash),
    effect: tool.effect,
  });
  const call = callOf(request.input, request.shown);
  const unfit = tools.includes(tool) ? misfitOf(tool, request.input) : unknownTool(name, tools);
  const misfit = request.misfit ?? unfit;
  const caution = tool.caution?.(audienceOf(execution));
  return {
    key: request.key,
    opening: {
      kind: 'call',
      title: request.title ?? name,
      call,
      untrusted: tool.untrusted ? 'content' : undefined,
      ...present({ within: request.within }),
    },
    effect: tool.effect,
    asking: tool.asking,
    intent: {
      kind: 'call',
      parent: request.parent,
      call,
      mustAsk: misfit === undefined && (caution !== undefined || mustAsk(execution, tool, request.input)),
      caution,
      sends: tool.sends ?? tool.effect !== 'pure',
      requested: request.id !== undefined,
      repeatable: (request.again ?? false) || (tool.repeatable ?? false),
    },
    refusal: request.refusal,
    misfit,
    unchecked: checked(tool.schema).unchecked,
    bytes: request.input,
    shown: request.shown,
    edited: async (input) => callOf(input, await keepLarge(execution, input)),
    ...(tool.pin === undefined ? {} : pinnedTo(execution, tool.name)),
    perform: async (step, input, begin) =>
      (await begin()) ? runTool(execution, step, { tool, input }) : undefined,
  };
}

/** What a person agrees to holds as long as the tool is the one they were shown. */
function pinnedTo({ world }: Execution, name: string): Pick<Leaf, 'standing' | 'stood'> {
  const standing = (): Standing => {
    const { pin = 'gone' } = world.catalog.tools.find((tool) => tool.name === name) ?? {};
    return { position: pin, isBusy: false, exchange: undefined };
  };
  return { standing: () => Promise.resolve(standing()), stood: standing() };
}

/** Without the tool its schema is not known, and with another schema the same call would look like another one. */
function recordedSignature(execution: Execution, { parent, key }: Placed): string | undefined {
  const known = execution.recorded.child(parent, key);
  const call = known && execution.recorded.opening(known.id)?.call;
  const { tools } = execution.world.catalog;
  return call && !tools.some(({ name }) => name === call.tool) ? call.signature : undefined;
}

/** Models ask for tools that do not exist, and tools go. That is shown like any other call, and they can read why. */
function missingTool(name: string, tools: readonly Tool[]): Tool {
  const run = (): Promise<never> => Promise.reject(errorOf(unknownTool(name, tools)));
  return { name, description: '', schema: {}, effect: 'pure', run };
}

function unknownTool(name: string, tools: readonly Tool[]): Failure {
  const known = tools.map((tool) => tool.name).join(', ') || 'none';
  return { code: 'unknown', message: `There is no tool «${name}»; known: ${known}.` };
}
