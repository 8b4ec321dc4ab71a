import { askFor } from '../../src/client/ask.ts';
import { readPreferences, setPreferences, type OwnPreferences } from '../../src/wire/native/people.ts';
import { server } from './server.ts';
import { verbosity, type Verbosity } from './steps/run-view.tsx';

/** What this person prefers, as far as the server has told. */
let own: OwnPreferences = {};

/** What is kept for the person holds on every machine; what this browser remembers is shown until it is known. */
export async function loadPreferences(): Promise<OwnPreferences> {
  own = await askFor(server, readPreferences, {});
  if (own.verbosity !== undefined) verbosity.set(own.verbosity);
  return own;
}

export async function prefer(change: OwnPreferences): Promise<void> {
  own = await askFor(server, setPreferences, { body: { ...own, ...change } });
}

/** Shows so much of runs from now on, here and wherever this person is. */
export function preferVerbosity(level: Verbosity): void {
  verbosity.set(level);
  // Where nobody keeps it for the person, it holds in this browser.
  prefer({ verbosity: level }).catch(() => undefined);
}
