import { resolve } from 'node:path';
import { Registry } from 'prom-client';
import { readConfig } from '../catalog/config.ts';
import { ownerDoor } from './access/owner-door.ts';
import { openHome, protocols, type HomeSettings } from './compose/compose.ts';
import type { HeldHome } from './folder/hold.ts';
import { hostHome } from './host.ts';
import { cleanLog, stderrLog } from './observe/log.ts';

/** How long another terminal may take nothing before it is cut off. Milliseconds. */
const patience = 30_000;

/** Hold a data folder for a terminal: its runs are worked on here, and other terminals ask for more through its socket. */
export async function holdFolder(settings: HomeSettings): Promise<HeldHome> {
  const home = await openHome(settings);
  try {
    const { notices, close } = await hostHome(home, {
      config: readConfig(settings.config ?? {}, 'The configuration'),
      folder: resolve(settings.data),
      log: cleanLog(settings.log ?? stderrLog, home.secrets.clean),
      registry: new Registry(),
      protocols,
      patience,
      doorOf: ownerDoor,
    });
    return { ...home, notices, close };
  } catch (thrown) {
    await home.close();
    throw thrown;
  }
}
