import { base } from './base.ts';
import { socketFetch, vitrineClient, type ServerAddress, type Source } from '../../src/client/client.ts';

/** Something that is so or not, told to whoever looks. */
class Flag implements Source<boolean> {
  #is = false;
  readonly #listeners = new Set<() => void>();

  readonly getSnapshot = (): boolean => this.#is;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  set(is: boolean): void {
    if (is === this.#is) return;
    this.#is = is;
    for (const changed of this.#listeners) changed();
  }
}

const away = new Flag();
const locked = new Flag();

/** Whether the server was out of reach when it was last asked. */
export const isAway: Source<boolean> = away;
/** Whether it wants to know who asks. */
export const isLocked: Source<boolean> = locked;

const sent = socketFetch((address, request) => fetch(address, request));

/** Every request says how we stand with the server, whoever makes it. */
const watched: typeof fetch = async (address, request) => {
  try {
    const response = await sent(address, { ...request, keepalive: isKept(request) });
    away.set(false);
    if (response.status === 401) locked.set(true);
    return response;
  } catch (thrown) {
    if (request?.signal?.aborted !== true) away.set(true);
    throw thrown;
  }
};

/** What is saved arrives also where the page is closed meanwhile: browsers do that for up to 64 KiB. */
function isKept(request: RequestInit | undefined): boolean {
  const { method, body } = request ?? {};
  return method === 'PUT' && typeof body === 'string' && new Blob([body]).size < 60_000;
}

export const server: ServerAddress = { url: location.origin + base, fetch: watched };
export const client = vitrineClient(server);

addEventListener('offline', () => away.set(true));

/** There is none, and never will be: what is shown was written into the page. */
export function haveNoServer(): void {
  away.set(true);
}
