import { resolve } from 'node:path';
import { Registry } from 'prom-client';
import { readConfig } from '../catalog/config.ts';
import { knownDoor } from './access/known-door.ts';
import { apiOver, type Api } from './api.ts';
import { openReader, readerProtocols } from './compose/open-reader.ts';
import { cleanLog, stderrLog } from './observe/log.ts';
import { fileRoutes } from './routes/files.ts';
import { folderRoutes } from './routes/folder.ts';
import { eventRoutes } from './routes/route.ts';
import { runRoutes } from './routes/runs.ts';
import { traceRoutes } from './two-stage/trace-routes.ts';

/** Whoever looks takes as long as they like: the longest time a timer takes. Milliseconds. */
const patience = 2 ** 31 - 1;

/** What reads runs. The rest of the API would take longer to load than it takes to answer. */
const routes = [...runRoutes, ...eventRoutes, ...fileRoutes, ...folderRoutes, ...traceRoutes];

/**
 * A data folder for whoever only looks, where nobody has it who answers: the same API, with nothing that works, listens or
 * writes behind it.
 */
export async function hostReader(
  data: string,
): Promise<Pick<Api, 'app' | 'ways'> & { close(): Promise<void> }> {
  const config = readConfig({}, 'The configuration');
  const home = await openReader({ data, log: stderrLog, limits: config.limits });
  const closing = new AbortController();
  const { app, ways, context } = await apiOver(home, {
    config,
    folder: resolve(data),
    log: cleanLog(stderrLog, home.secrets.clean),
    registry: new Registry(),
    protocols: readerProtocols,
    patience,
    doorOf: knownDoor,
    routes,
    address: () => undefined,
    closing: closing.signal,
  });
  return {
    app,
    ways,
    async close() {
      closing.abort();
      context.readiness.close();
      await context.channels.close();
      await app.close();
      await home.close();
    },
  };
}
