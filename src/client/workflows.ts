import { goOnRun, tryNode, type GoingOn, type TryNode } from '../wire/native/going-on.ts';
import { readRunGraph, type RunGraph } from '../wire/native/run-graph.ts';
import type { AnswerOf, BodyOf, QueryOf } from '../wire/native/endpoint.ts';
import { listSchedules, pauseSchedule, resumeSchedule, type ToldSchedule } from '../wire/native/schedules.ts';
import type { StartedRun } from '../wire/native/starting.ts';
import * as native from '../wire/native/workflows.ts';
import { ask, askFor, type ServerAddress } from './ask.ts';

type Graph = native.WorkflowDraft['graph'];
type Problems = AnswerOf<typeof native.validateWorkflow>['problems'];

/** Which run of a workflow to start. */
export type WorkflowRequest = BodyOf<typeof native.startWorkflow> & {
  /** The same again starts nothing new. */
  readonly idempotencyKey?: string;
};

/** What can be done with workflows. What is wrong with a graph is in `failure.problems` of what is thrown. */
export interface WorkflowsClient {
  list(page?: QueryOf<typeof native.listWorkflows>): Promise<native.WorkflowPage>;
  create(name: string, graph?: Graph): Promise<native.WorkflowDraft>;
  draft(name: string): Promise<native.WorkflowDraft>;
  /** With a revision, only over that one; 0 where there is none. */
  save(name: string, graph: Graph, revision?: number): Promise<native.WorkflowDraft>;
  dropDraft(name: string, revision?: number): Promise<void>;
  /** What is wrong with a graph, or with the draft. */
  validate(name: string, graph?: Graph): Promise<Problems>;
  publish(name: string, revision?: number): Promise<native.PublishedWorkflow>;
  clone(name: string, to: BodyOf<typeof native.cloneWorkflow>): Promise<native.WorkflowDraft>;
  archive(name: string, version?: number): Promise<native.WorkflowVersions>;
  restore(name: string, version?: number): Promise<native.WorkflowVersions>;
  versions(name: string): Promise<native.WorkflowVersions>;
  version(name: string, version: number): Promise<native.WholeVersion>;
  diff(name: string, between?: QueryOf<typeof native.compareWorkflow>): Promise<native.WorkflowDiff>;
  /** When it is started by itself, and how that stands. */
  schedules(name: string): Promise<readonly ToldSchedule[]>;
  pauseSchedule(name: string, schedule: string): Promise<ToldSchedule>;
  /** It goes on from now. */
  resumeSchedule(name: string, schedule: string): Promise<ToldSchedule>;
  start(name: string, request?: WorkflowRequest): Promise<StartedRun>;
  /** What a run was started to do, and how each node stands. */
  graphOf(run: string): Promise<RunGraph>;
  /** Go on from where a run failed, in a new run that has what was done. */
  goOn(run: string): Promise<GoingOn>;
  /** Run one node alone, with what the last run gave it. */
  tryNode(name: string, node: string, request?: TryNode): Promise<GoingOn>;
}

export function workflowsClient(server: ServerAddress): WorkflowsClient {
  return {
    list: (query = {}) => askFor(server, native.listWorkflows, { query }),
    create: (name, graph) => askFor(server, native.createWorkflow, { body: { name, graph } }),
    draft: (name) => askFor(server, native.readWorkflowDraft, { of: { name } }),
    save: (name, graph, revision) =>
      askFor(server, native.saveWorkflowDraft, { of: { name }, body: { graph, revision } }),
    async dropDraft(name, revision) {
      await ask(server, native.dropWorkflowDraft, { of: { name }, query: { revision } });
    },
    validate: async (name, graph) =>
      (await askFor(server, native.validateWorkflow, { of: { name }, body: { graph } })).problems,
    publish: (name, revision) => askFor(server, native.publishWorkflow, { of: { name }, body: { revision } }),
    clone: (name, body) => askFor(server, native.cloneWorkflow, { of: { name }, body }),
    archive: (name, version) => askFor(server, native.archiveWorkflow, { of: { name }, body: { version } }),
    restore: (name, version) => askFor(server, native.restoreWorkflow, { of: { name }, body: { version } }),
    versions: (name) => askFor(server, native.listWorkflowVersions, { of: { name } }),
    version: (name, version) =>
      askFor(server, native.readWorkflowVersion, { of: { name, version: String(version) } }),
    diff: (name, query = {}) => askFor(server, native.compareWorkflow, { of: { name }, query }),
    schedules: async (name) => (await askFor(server, listSchedules, { of: { name } })).schedules,
    pauseSchedule: (name, schedule) => askFor(server, pauseSchedule, { of: { name, schedule }, body: {} }),
    resumeSchedule: (name, schedule) => askFor(server, resumeSchedule, { of: { name, schedule }, body: {} }),
    start: (name, { idempotencyKey, ...body } = {}) =>
      askFor(server, native.startWorkflow, {
        of: { name },
        body,
        headers: { 'idempotency-key': idempotencyKey },
      }),
    graphOf: (run) => askFor(server, readRunGraph, { of: { run } }),
    goOn: (run) => askFor(server, goOnRun, { of: { run }, body: {} }),
    tryNode: (name, node, body = {}) => askFor(server, tryNode, { of: { name, node }, body }),
  };
}
