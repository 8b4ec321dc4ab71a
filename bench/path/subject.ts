// A server of Vitrine as some checkout has it, with the store that is asked for.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Flow } from '../../src/engine/scope.ts';
import type { serve as Serve } from '../../src/server/serve.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { asked, type Plan } from './plan.ts';
import { answering } from './usage.ts';

const [root = '', store = '', model = '', data = ''] = process.argv.slice(2);

// Older checkouts cannot be told which store to use.
if (store === 'memory')
  registerHooks({
    load(url, context, load) {
      if (!/\/stores\/(sqlite\/)?sqlite\.ts$/.test(url)) return load(url, context);
      const memory = new URL(url.endsWith('/sqlite/sqlite.ts') ? '../memory.ts' : './memory.ts', url).href;
      const source = `import { memoryStore } from '${memory}';
        export const sqliteStore = async () => ({ ...memoryStore({ now: () => Date.now() }), notices: [] });`;
      return { format: 'module', source, shortCircuit: true };
    },
  });

const echo = {
  name: 'echo',
  description: 'Gives back what it is given.',
  effect: 'pure',
  schema: { type: 'object', properties: { n: { type: 'number' } } },
  run: async (input) => input,
} satisfies Tool;

const talk: Flow = {
  name: 'talk',
  version: '1',
  async run(scope, { text }) {
    const plan = JSON.parse(text) as Plan;
    let said = '';
    for (let turn = 0; turn <= plan.tools; turn += 1) {
      const content = JSON.stringify(asked(plan, turn));
      const tools = plan.tools > 0 ? [{ ...echo }] : [];
      const result = await scope.turn('talker', { messages: [{ role: 'user', text: content }], tools });
      for (const { id, tool, arguments: given } of result.calls)
        await scope.call(tool, JSON.parse(given) as { n: number }, { id });
      said = result.text;
    }
    return said;
  },
};

const { serve } = (await import(pathToFileURL(join(root, 'src/server/serve.ts')).href)) as {
  readonly serve: typeof Serve;
};
const running = await serve({
  data,
  port: 0,
  config: {
    models: { m: { baseUrl: model, model: 'm' } },
    agents: { talker: { model: 'm' } },
    tools: [echo],
    apps: { talk: { flow: talk } },
    limits: { tokens: 10_000_000, turns: 1_000, calls: 1_000 },
    server: { quotas: { runs: 2_000, requests: 100_000, burst: 100_000 } },
  },
});
answering(store === 'memory' ? undefined : join(data, 'high-water'));
process.send?.(running.url);
