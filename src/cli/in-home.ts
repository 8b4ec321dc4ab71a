import type { HomeSettings } from '../server/compose.ts';
import { enterHome } from '../server/enter.ts';
import type { Home } from '../server/home.ts';
import { visibleLine } from './escape.ts';
import type { Shown, Where } from './show-run.ts';
import { showRun } from './show-run.ts';

/** Do something in a data folder, as its holder or as a visitor of its holder. */
export async function inHome<T>(
  settings: HomeSettings,
  { terminal }: Pick<Where, 'terminal'>,
  work: (home: Home) => Promise<T>,
): Promise<T> {
  const home = await enterHome(settings);
  try {
    for (const notice of home.notices) terminal.warn(visibleLine(notice));
    return await work(home);
  } finally {
    await home.close();
  }
}

/** Begin a run and show it to its end; if the process that works on it dies, it is taken up here. */
export async function throughRun(
  settings: HomeSettings,
  where: Where,
  begin: (home: Home) => Promise<{ readonly run: string; readonly after?: number }>,
): Promise<number> {
  let run: string | undefined;
  let shown: Shown | undefined;
  do {
    const after = shown?.seq;
    shown = await inHome(settings, where, async (home) => {
      if (run === undefined || after === undefined) {
        const begun = await begin(home);
        run = begun.run;
        return showRun(home, begun, where);
      }
      where.terminal.warn(`The process that worked on ${run} is gone; it goes on here.`);
      await home.takeUp(run);
      return showRun(home, { run, after }, where);
    });
  } while (shown.isOrphaned);
  return shown.code;
}
