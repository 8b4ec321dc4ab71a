import { dryLabels } from '../../run/dry-run.ts';
import { startWorkflow } from '../../wire/native/workflows.ts';
import { readRunGraph } from '../../wire/native/run-graph.ts';
import { ownConversation } from '../runs/own-conversation.ts';
import { route } from '../routes/route.ts';
import { beginning } from '../routes/start-run.ts';
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
    ...readRunGraph,
    async handle({ context, subject, heavy }) {
      await heavy(subject.bytes);
      return { status: 200, json: await runGraph(context, subject) };
    },
  }),
];
