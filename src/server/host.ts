import type { Server } from 'node:http';
import { failureOf, type Failure, type RunError } from '../run/failure.ts';
import { ownersWay } from './access/owners-way.ts';
import { apiOver, type Api, type ApiSettings } from './api.ts';
import type { ServerContext } from './context.ts';
import { doorRoutes } from './doors/door-routes.ts';
import { listenInFolder } from './folder/folder-socket.ts';
import { cutSilentPeers } from './http/answer.ts';
import type { OpenFolder } from './folder/open-folder.ts';
import { routeTable } from './routes/table.ts';
import { lookingAgain } from './shared/watched-kind.ts';
import { keepSchedules } from './workflows/keep-schedules.ts';

/** A data folder with its HTTP API, for its owner at the socket in it; whoever serves it also listens elsewhere. */
export interface Hosted extends Omit<Api, 'answering'> {
  /** What whoever started it should know. */
  readonly notices: readonly string[];
  /** Tell other terminals of this folder where it is served. */
  announce(url: string): void;
  /** Hear of nothing more at the socket. */
  readonly hush: () => Promise<void>;
  /** Let what has begun come to its end, hand runs back, tell viewers to come back, and end. `why` is told to who asks. */
  readonly close: (why?: RunError) => Promise<void>;
}

/** How soon whoever may not stay is gone. Milliseconds. */
const sweepEvery = 1_000;

/** How long open requests get to end when the process goes away. Milliseconds. */
const farewell = 2_000;

export async function hostOpened(home: OpenFolder, hosting: ApiSettings): Promise<Hosted> {
  const closing = new AbortController();
  const at: { url?: string } = {};
  const { app, context, ways, answering } = await apiOver(home, {
    ...hosting,
    routes: [...routeTable, ...doorRoutes(hosting.protocols)],
    address: () => at.url,
    closing: closing.signal,
  });
  lookAfter(context, closing.signal);
  closing.signal.addEventListener('abort', cutSilentPeers(app.server));
  const schedules = keepSchedules(context, closing.signal);
  const listening = await listenInFolder(hosting.folder, (socket) => {
    ways.set(socket, ownersWay);
    app.server.emit('connection', socket);
  }).catch((thrown: unknown) => failureOf(thrown));
  const hush = typeof listening === 'function' ? listening : async (): Promise<void> => {};
  return {
    app,
    context,
    ways,
    notices: [...home.notices, ...(typeof listening === 'function' ? [] : [unheard(listening)])],
    announce: (url) => void (at.url = url),
    hush,
    close: async (why) => {
      closing.abort(why);
      context.readiness.close();
      await schedules;
      // Whoever asked to stop the last run here must still hear that it was stopped.
      await atMost(farewell, Promise.allSettled(answering));
      // Whoever asks while what has begun comes to its end is told that this server is going away.
      await home.rest();
      await dismiss(context, () => Promise.all([app.close(), hush()]), app.server);
      await home.close();
    },
  };
}

/** Viewers are told to come back, and whoever does not go by themselves is cut off. */
async function dismiss(
  context: ServerContext,
  close: () => Promise<unknown>,
  server: Pick<Server, 'closeAllConnections' | 'closeIdleConnections'>,
): Promise<void> {
  const closed = close();
  context.logTail.close();
  context.feedViewers.close();
  await context.channels.close();
  // A connection whose stream came to its end waits for another request; none will be answered.
  server.closeIdleConnections();
  const enough = setTimeout(() => {
    server.closeAllConnections();
    // A socket is no longer the server's to close, and waits half a minute for a peer that says nothing.
    context.streams.sweep(() => false);
  }, farewell);
  await closed;
  clearTimeout(enough);
}

/** Whoever may not stay goes, and what nobody told is looked for. */
function lookAfter({ door, people, streams }: ServerContext, closing: AbortSignal): void {
  const sweeping = setInterval(() => streams.sweep((caller) => door.mayStay(caller)), sweepEvery).unref();
  const rest = lookingAgain(door, people);
  closing.addEventListener('abort', () => {
    clearInterval(sweeping);
    rest();
  });
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const enough = setTimeout(resolve, milliseconds);
  await Promise.race([work, promise]);
  clearTimeout(enough);
}

/** A folder whose disk knows no sockets can be worked in all the same. */
function unheard({ message }: Failure): string {
  return `Other terminals can read this folder, but their commands do not arrive: ${message}`;
}
