import { dryLabels } from '../../run/dry-run.ts';
import { startWorkflow } from '../../wire/native/workflows.ts';
import { readRunGraph } from '../../wire/native/run-graph.ts';
import { goOnRun, tryNode, type GoingOn } from '../../wire/native/going-on.ts';
import { ownConversation } from '../runs/own-conversation.ts';
import type { Source } from '../access/honest.ts';
import { route, type Reply } from '../routes/route.ts';
import { beginning, placeOf } from '../routes/start-run.ts';
import { goOnFrom } from './go-on.ts';
import { tryAlone } from './try-node.ts';
import { runGraph } from './run-graph.ts';
import { workflowApp } from './workflow-app.ts';
import { workflowInput } from './workflow-input.ts';

/** Runs of workflows: as of any app, but for what they are started with. */
export const workflowRunRoutes = [
  route({
    ...startWorkflow,
    handle: (asked) =>
      beginning(asked, async () => {
        const { context, caller, params, body } = asked;
        const { name = '' } = params;
        const { input, mode, version, dry, labels, conversation: given, ...rest } = body;
        const named = given === undefined ? undefined : ownConversation(caller, given);
        return {
          app: await workflowApp(context.home, caller, { name, mode, version }),
          input: workflowInput(name, input),
          conversation: named?.id,
          begins: named?.mayBegin,
          labels: dry ? { ...labels, ...dryLabels } : labels,
          ...rest,
        };
      }),
  }),
  route({
    ...goOnRun,
    async handle({ context, caller, source, subject, heavy }) {
      await heavy(subject.bytes);
      const begun = await goOnFrom(context, caller, subject);
      return toldBegun(source, { ...begun, from: subject.run });
    },
  }),
  route({
    ...tryNode,
    async handle({ context, caller, source, params: { name = '', node = '' }, body, heavy }) {
      return toldBegun(source, await tryAlone({ context, caller, heavy }, { name, node, ...body }));
    },
  }),
  route({
    ...readRunGraph,
    async handle({ context, subject, heavy }) {
      await heavy(subject.bytes);
      return { status: 200, json: await runGraph(context, subject) };
    },
  }),
];

/** A run that has begun, with where to watch it. */
function toldBegun(source: Source, begun: Omit<GoingOn, 'events'>): Reply {
  const location = placeOf(source, begun.run);
  return { status: 201, json: { ...begun, events: `${location}/events` }, headers: { location } };
}
