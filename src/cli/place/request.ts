import { appTold, type App } from '../../server/folder/home.ts';
import type { StartRequest } from './terminal-home.ts';
import { newId } from '../../loop/machine.ts';

type Said = Omit<StartRequest, 'app' | 'flow' | 'key'>;

/** A run of an app as whoever answers has it; of their own choice where none is named. */
export function requestTo(app: string | undefined, said: Said): StartRequest {
  return { app: app ?? '', flow: '', key: newId('start'), ...said };
}

/** A run of an app as it is known here. */
export function startOf(app: App, said: Said): StartRequest {
  const { name, flow } = appTold(app);
  return { app: name, flow, key: newId('start'), ...said };
}
