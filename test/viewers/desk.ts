// An application in a server of its own, which somebody may kill: its second skill asks a person.
import { serve } from '../../src/server/serve.ts';
import { desksConfig, planOf, planStep } from '../pipeline.ts';

const plan = planOf('sequential', [planStep(1, 'graph'), planStep(2, 'gated')]);
const { url } = await serve({
  data: process.argv[2] ?? '',
  port: Number(process.argv[3] ?? 0),
  config: desksConfig({ desk: { plans: [plan] } }),
});
// Whoever started it is gone, maybe killed: nobody else would ever end it.
process.on('disconnect', () => process.exit(1));
process.send?.({ url });
