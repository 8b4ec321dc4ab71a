import { builtIn } from '../../server/compose.ts';
import { appNamed, startOf } from '../../server/home.ts';
import { dataOption, type CliCommand } from '../command.ts';
import { hint } from '../hint.ts';
import { throughRun } from '../in-home.ts';
import { settingsOf } from '../settings.ts';
import { whoIsHere } from '../terminal.ts';

const request = 'Plan a maintenance window for the orders database';

export const demo: CliCommand = {
  name: 'demo',
  usage: '[options]',
  summary: 'watch the built-in demo: no key, no account, no service',
  options: { ...dataOption, yes: { type: 'boolean', about: 'approve what is asked' } },
  words: [0, 0],
  async run(given, terminal) {
    const settings = await settingsOf(given, terminal);
    const app = appNamed(settings.apps, builtIn);
    const dim = (text: string): void => terminal.say(terminal.paint(text, ['dim']));
    dim('A run of the built-in demo. Its model is a script; steps, tools and journal are real.');
    dim(
      `Pull the plug while it works: kill -9 ${process.pid} in another terminal, then ${hint(given, 'resume')}`,
    );
    terminal.say();
    let run = '<run>';
    const code = await throughRun(settings.home, { given, terminal }, async (home) => {
      const started = await home.start(startOf(app, { text: request, by: whoIsHere() }));
      run = started.run;
      return started;
    });
    terminal.say();
    dim(`Look back:     ${hint(given, 'show', run)}`);
    dim(`Every run:     ${hint(given, 'runs')}`);
    dim(`Say your own:  ${hint(given, 'run', '"<text>"')}`);
    return code;
  },
};
