import { demoWorld } from '../../server/compose/config.ts';
import { vitrineClient } from '../../client/client.ts';
import { exit, type CliCommand } from '../command.ts';
import { hint } from '../hint.ts';
import { leaveWhenTold } from '../terminal/leave.ts';
import { settingsOf } from '../settings.ts';
import { startOf } from '../place/request.ts';
import type { Reached } from '../place/terminal-home.ts';
import { showRun } from '../view/show-run.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { goodbye, greet, listening, serve } from './serve.ts';

const firstRequest =
  'Which services are at risk, what does the runbook say, and dispatch a field engineer to LINK-SYD-MEL-FIBRE-01';

export const demo: CliCommand = {
  name: 'demo',
  usage: '[options]',
  summary: 'serve the demo world: no key, no account, no service; the first time it starts a run by itself',
  details: [
    'Everything is real but the model, which is a script: agents over HTTP, databases, tools, approvals, the journal.',
  ],
  options: { ...serve.options, yes: { type: 'boolean', about: 'approve what the first run asks' } },
  words: [0, 0],
  async run(given, terminal) {
    const leaving = leaveWhenTold();
    const settings = await settingsOf(given, terminal, given.text('config') ?? demoWorld);
    const server = await listening(given, settings, terminal);
    const { heldFolder } = await import('../place/held.ts');
    const home = heldFolder(server.hosted);
    greet(server, terminal);
    try {
      if (await isEmpty(home)) {
        const app = settings.chosen(undefined);
        terminal.say();
        const begun = await home.start(startOf(app, { text: firstRequest }));
        strip(terminal, [
          ['watch', `the tree grows below, and at ${server.url}`],
          ['approve', `press a when it asks; in another terminal: ${hint(given, 'approvals')}`],
          ['pull the plug', `kill -9 ${process.pid} in the middle of a run, then start again: it goes on`],
          ['look back', `${hint(given, 'runs')}, ${hint(given, 'show', begun.run)}`],
          ['ask', hint(given, 'run', '"Calculate fibonacci(10)"')],
        ]);
        await showRun(home, begun, { given, terminal });
        terminal.say();
        terminal.say(`Vitrine goes on listening on ${server.url}; Ctrl-C ends it.`);
      }
      await leaving.told();
      return exit.completed;
    } finally {
      terminal.warn(goodbye);
      await server.close();
      leaving.done();
    }
  },
};

async function isEmpty({ server }: Reached): Promise<boolean> {
  return (await vitrineClient(server).runs({ limit: 1 })).runs.length === 0;
}

function strip(terminal: Terminal, lines: readonly (readonly [string, string])[]): void {
  for (const [i, [what, how]] of lines.entries()) {
    terminal.say(terminal.paint(`${i + 1} ${what.padEnd(14)} ${how}`, ['dim']));
  }
  terminal.say();
}
