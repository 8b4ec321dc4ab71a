import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sync as writeWhole } from 'write-file-atomic';
import { z } from 'zod';
import { Preferences } from '../../projections/projection.ts';
import type { App, HomeReader } from '../folder/home.ts';
import { preferencesFor } from '../viewers/preferring.ts';

const ByApp = z.record(z.string(), Preferences);
type ByApp = z.infer<typeof ByApp>;

/** Terminals look at a folder without its configuration, so what apps prefer is kept beside their runs. */
const fileIn = (folder: string): string => join(folder, 'preferences.json');

/** What the apps of a folder prefer, as the last configuration that had them says. */
export function keptPreferences(folder: string): HomeReader['preferences'] {
  return preferencesIn(read(folder));
}

export interface Keeping {
  readonly preferences: HomeReader['preferences'];
  /** What the owner should know if terminals beside this process cannot be told. */
  readonly notices: readonly string[];
}

/** Keep what these apps prefer. For the process that holds the folder. */
export function keepPreferences(folder: string, apps: readonly App[]): Keeping {
  const kept = read(folder);
  const next = { ...kept };
  for (const { name, preferences } of apps) {
    if (preferences) next[name] = preferences;
    else delete next[name];
  }
  const preferences = preferencesIn(next);
  try {
    if (JSON.stringify(next) !== JSON.stringify(kept))
      writeWhole(fileIn(folder), `${JSON.stringify(next)}\n`);
    return { preferences, notices: [] };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { preferences, notices: [`Other terminals do not know what apps prefer to show: ${why}.`] };
  }
}

function preferencesIn(byApp: ByApp): HomeReader['preferences'] {
  return (app, asked) => preferencesFor(Object.hasOwn(byApp, app) ? byApp[app] : {}, asked);
}

function read(folder: string): ByApp {
  try {
    return ByApp.parse(JSON.parse(readFileSync(fileIn(folder), 'utf8')));
  } catch {
    // Without it, or if it cannot be read, everything is shown; the next process to hold the folder writes it again.
    return {};
  }
}
