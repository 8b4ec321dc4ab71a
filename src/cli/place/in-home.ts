import { visibleLine } from '../terminal/escape.ts';
import { enter, type Place } from './place.ts';
import type { TerminalHome } from './terminal-home.ts';
import type { Shown, Where } from '../view/show-run.ts';
import { showRun } from '../view/show-run.ts';

/** Do something where runs are: in a data folder, as its holder or as a visitor of its holder, or at a server. */
export async function inHome<T>(
  place: Place,
  { terminal }: Pick<Where, 'terminal'>,
  work: (home: TerminalHome) => Promise<T>,
): Promise<T> {
  const home = await enter(place, terminal);
  try {
    for (const notice of home.notices) terminal.warn(visibleLine(notice));
    return await work(home);
  } finally {
    await home.close();
  }
}

/**
 * Begin a run and show it to its end; if the process that works on it dies, it is taken up here. `begin` may be called
 * again, when the process that was asked is gone without an answer.
 */
export async function throughRun(
  place: Place,
  where: Where,
  begin: (home: TerminalHome) => Promise<{ readonly run: string; readonly after?: number }>,
): Promise<number> {
  let run: string | undefined;
  let shown: Shown | undefined;
  do {
    const after = shown?.seq;
    shown = await inHome(place, where, async (home) => {
      if (run === undefined || after === undefined) {
        const begun = await begin(home).catch((thrown: unknown) => {
          // A holder that is there and cannot start it will not start it later either.
          if (!home.isGone()) throw thrown;
        });
        if (!begun) return undefined;
        run = begun.run;
        return showRun(home, begun, where);
      }
      where.terminal.warn(`The process that worked on ${run} is gone; it goes on here.`);
      await home.takeUp(run);
      return showRun(home, { run, after }, where);
    });
  } while (!shown || shown.isOrphaned);
  return shown.code;
}
