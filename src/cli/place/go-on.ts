import { exit } from '../command.ts';
import { hint } from '../hint.ts';
import { showRun, type Where } from '../view/show-run.ts';
import { summaryOf } from './find.ts';
import type { TerminalHome } from './terminal-home.ts';

/** Once a command has reached a run: if nobody else works on it, it goes on here. Gives the exit code. */
export async function goOn(
  home: TerminalHome,
  showing: Parameters<typeof showRun>[1],
  where: Where,
): Promise<number> {
  if (!home.isHolder) return exit.completed;
  // Only a person can bring it on, and they have just typed something else.
  if ((await summaryOf(home.server, showing.run)).status === 'paused') {
    where.terminal.warn(`It is paused. Go on with: ${hint(where.given, 'resume', showing.run)}`);
    return exit.completed;
  }
  if (!(await home.takeUp(showing.run))) {
    where.terminal.warn(
      `Nobody works on it at the moment. Go on with: ${hint(where.given, 'resume', showing.run)}`,
    );
    return exit.completed;
  }
  return (await showRun(home, showing, where)).code;
}
