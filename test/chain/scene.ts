// Apps of a chain of servers, each behind the one before it. The inmost works, asks and pays; the others hand on.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { AgentSettings } from '../../src/catalog/agent-settings.ts';
import type { Flow, Scope } from '../../src/engine/scope.ts';
import type { Gateway } from '../../src/gateways/gateway.ts';
import { RunError } from '../../src/run/failure.ts';
import type { DefinedConfig } from '../../src/server/compose/define-config.ts';
import { functionTool } from '../../src/tools/function.ts';

/** How one server reaches the next. */
export type Link = 'a2a' | 'ag-ui' | 'dial';

/** The app of every server of a chain. */
export const app = 'work';

/** What happened for good: what was paid for, and «stopped» for each tool that was told to end. */
export function ledgerIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

/** Whoever does the work: «wait» waits for ever, «say 5» (or «say 5 slowly») says five tokens in an agent and five as its answer, all else is paid for. */
export function inmost(ledger: string): DefinedConfig {
  const write = (line: string): void => appendFileSync(ledger, `${line}\n`);
  return {
    apps: { [app]: { flow: flowOf('inmost', (scope, text) => work(scope, text, write)) } },
    tools: [look, waiting(write)],
    agents: { scout: { description: 'Says tokens.', gateway: teller, effect: 'pure' } },
    server: { port: 0 },
  };
}

/** Whoever has it done by the server at `url`. */
export function relay(link: Link, url: string, name: string): DefinedConfig {
  const flow = flowOf('relay', async (scope, text) => {
    const { text: answer } = await scope.turn(name, { messages: [{ role: 'user', text }] });
    return answer;
  });
  return { apps: { [app]: { flow } }, agents: { [name]: agentAt(link, url) }, server: { port: 0 } };
}

function agentAt(link: Link, url: string): Omit<AgentSettings, 'description'> & { description: string } {
  const description = 'Does the work.';
  switch (link) {
    case 'a2a':
      return { description, a2a: { url: `${url}/a2a/${app}/` } };
    case 'ag-ui':
      return { description, agUi: { url: `${url}/ag-ui/${app}` } };
    case 'dial':
      return { description, dial: { baseUrl: url, deployment: app, key: { env: 'CHAIN_KEY' } } };
  }
}

async function work(scope: Scope, text: string, write: (line: string) => void): Promise<string> {
  const [, tokens] = /^say (\d+(?: slowly)?)$/.exec(text) ?? [];
  if (text.startsWith('wait')) return JSON.stringify(await scope.call('wait', {}));
  const asked = { messages: [{ role: 'user', text: tokens ?? '3' }] } as const;
  await scope.step({ key: 'look', title: 'Look around' }, (around) =>
    around.step(
      { key: 'scout', title: 'Scout', kind: 'agent', agent: 'scout', query: text },
      async (deep) => {
        await deep.turn('scout', { ...asked, key: 'deep', title: 'Look deeper' });
        return deep.call('look', { at: text });
      },
    ),
  );
  if (tokens !== undefined) return (await scope.turn('scout', { ...asked, key: 'say' })).text;
  const { decision } = await scope.ask({ key: 'pay', title: 'Pay', arguments: { euros: 12 } });
  if (decision !== 'approve') throw new RunError('refused', 'It must not be paid.');
  write(text);
  return `Paid for «${text}».`;
}

const look = functionTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.string() }),
  effect: 'pure',
  run: async ({ at }, call) => {
    call.say('half way');
    return `${at} is there`;
  },
});

function waiting(write: (line: string) => void) {
  return functionTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    effect: 'pure',
    run: async (_, { signal }) => {
      await once(signal, 'abort');
      write('stopped');
      return 'Never.';
    },
  });
}

/** Milliseconds between two tokens that are said slowly: longer than a store waits to commit. */
const pace = 5;

/** Says as many tokens as it is asked for, each a piece of its own. */
const teller: Gateway = {
  async *takeTurn({ messages }) {
    const [count, slowly] = (messages.at(-1)?.text ?? '').split(' ');
    for (let i = 0; i < Number(count); i += 1) {
      // As a model thinks: each token comes by itself. Otherwise others have their turn now and then.
      if (slowly !== undefined) await sleep(pace);
      else if (i % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
      yield [{ type: 'text.appended', text: `token ${i % 10} ` }];
    }
    yield [{ type: 'turn.finished', reason: 'stop' }];
  },
};

function flowOf(name: string, run: (scope: Scope, text: string) => Promise<string>): Flow {
  return { name, version: '1', run: (scope, { text }) => run(scope, text) };
}
