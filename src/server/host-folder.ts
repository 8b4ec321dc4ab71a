import { resolve } from 'node:path';
import { Registry } from 'prom-client';
import { readConfig } from '../catalog/config.ts';
import { knownDoor } from './access/known-door.ts';
import type { ApiSettings } from './api.ts';
import { openFolder, type FolderSettings } from './compose/compose.ts';
import { protocols } from './compose/protocols.ts';
import { hostOpened, type Hosted } from './host.ts';
import { cleanLog, stderrLog } from './observe/log.ts';
import { runMetrics } from './observe/metrics.ts';
import { present } from '../run/tree.ts';

/** How long whoever watches may take nothing before they are cut off. Milliseconds. */
const patience = 30_000;

/**
 * Have a data folder, work on its runs, and answer those who are known by the way they come: terminals, through the socket
 * in it, and the program it is opened in. No port is opened.
 */
export async function hostFolder(
  settings: Omit<FolderSettings, 'meter'> & Pick<ApiSettings, 'warn'>,
): Promise<Hosted> {
  const registry = new Registry();
  const home = await openFolder({ ...settings, meter: runMetrics(registry) });
  try {
    return await hostOpened(home, {
      config: readConfig(settings.config ?? {}, 'The configuration'),
      folder: resolve(settings.data),
      log: cleanLog(settings.log ?? stderrLog, home.secrets.clean),
      registry,
      protocols,
      patience,
      doorOf: knownDoor,
      ...present({ warn: settings.warn }),
    });
  } catch (thrown) {
    await home.close();
    throw thrown;
  }
}
