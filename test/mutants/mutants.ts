// Each part of the product has its mutants in a file of its own.
import type { Mutant } from './mutant.ts';
import { a2uiMutants } from './of/a2ui.ts';
import { accessMutants } from './of/access.ts';
import { behindMutants } from './of/behind.ts';
import { approvalMutants } from './of/approvals.ts';
import { consoleMutants } from './of/console.ts';
import { cardMutants } from './of/cards.ts';
import { clientProtocolMutants } from './of/client-protocols.ts';
import { coreMutants } from './of/core.ts';
import { damageMutants } from './of/damage.ts';
import { databaseMutants } from './of/database.ts';
import { definitionMutants } from './of/definitions.ts';
import { workflowFrontMutants } from './of/workflow-front.ts';
import { firstMinutesMutants } from './of/first-minutes.ts';
import { frontMutants } from './of/front.ts';
import { gatewayMutants } from './of/gateways.ts';
import { graphMutants } from './of/graph.ts';
import { hostileMutants } from './of/hostile.ts';
import { nativeMutants } from './of/native.ts';
import { pipelineMutants } from './of/pipeline.ts';
import { pinMutants } from './of/pins.ts';
import { opsMutants } from './of/ops.ts';
import { pathMutants } from './of/path.ts';
import { planMutants } from './of/plans.ts';
import { processMutants } from './of/process.ts';
import { protocolMutants } from './of/protocols.ts';
import { limitMutants } from './of/limits.ts';
import { sentMutants } from './of/sent.ts';
import { storyMutants } from './of/story.ts';
import { timeMutants } from './of/time.ts';
import { toldMutants } from './of/told.ts';
import { toolMutants } from './of/tools.ts';
import { appGuardMutants } from './of/app-guards.ts';
import { guardMutants } from './of/guards.ts';
import { feedMutants } from './of/feed.ts';
import { smallMutants } from './of/small.ts';
import { twoStageMutants } from './of/two-stage.ts';
import { waitMutants } from './of/waits.ts';
import { workflowMutants } from './of/workflows.ts';
import { webMutants } from './of/web.ts';
import { canvasMutants } from './of/canvas.ts';

export const mutants: readonly Mutant[] = [
  ...a2uiMutants,
  ...pipelineMutants,
  ...accessMutants,
  ...approvalMutants,
  ...behindMutants,
  ...consoleMutants,
  ...cardMutants,
  ...clientProtocolMutants,
  ...coreMutants,
  ...damageMutants,
  ...databaseMutants,
  ...definitionMutants,
  ...workflowFrontMutants,
  ...feedMutants,
  ...firstMinutesMutants,
  ...frontMutants,
  ...gatewayMutants,
  ...graphMutants,
  ...hostileMutants,
  ...nativeMutants,
  ...pinMutants,
  ...opsMutants,
  ...pathMutants,
  ...planMutants,
  ...processMutants,
  ...protocolMutants,
  ...limitMutants,
  ...sentMutants,
  ...storyMutants,
  ...timeMutants,
  ...toldMutants,
  ...toolMutants,
  ...guardMutants,
  ...appGuardMutants,
  ...smallMutants,
  ...twoStageMutants,
  ...waitMutants,
  ...workflowMutants,
  ...webMutants,
  ...canvasMutants,
];
