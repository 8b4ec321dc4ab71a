// A browser opens six connections to a server, all its tabs together, and a stream takes one for as long as it is open:
// with the sixth nothing more can be asked, not even for the page itself. Sockets are not counted.
import { z } from 'zod';
import { watchFeed } from '../wire/native/feed.ts';
import { watchRun } from '../wire/native/runs.ts';
import { parseJson } from '../wire/sse.ts';

type Fetch = typeof globalThis.fetch;

const Head = z.object({ status: z.int().min(200).max(599), headers: z.record(z.string(), z.string()) });

/** What can be had on a socket, and where. */
const streams = [watchFeed, watchRun].map(
  ({ path }) => new RegExp(`/api(${path.slice('/api'.length).replaceAll(/:\w+/g, '[^/]+')})$`),
);

/**
 * A way to send requests in which streams come over sockets, and all else goes as it went. Whatever keeps a socket from being
 * opened (a proxy that knows none, a refusal, which a page cannot read) is left to the plain request, which says what it is.
 */
export function socketFetch(plain: Fetch): Fetch {
  let isOpen = true;
  return async (address, request) => {
    const socket = isOpen ? socketFor(address, request) : undefined;
    const streamed = socket && (await responseFrom(socket, request?.signal));
    if (streamed) return streamed;
    const response = await plain(address, request);
    // The stream is there and its socket is not: it would not be there the next time.
    if (socket && response.status === 200 && request?.signal?.aborted !== true) isOpen = false;
    return response;
  };
}

function socketFor(address: Parameters<Fetch>[0], request: RequestInit | undefined): WebSocket | undefined {
  const { method = 'GET', headers, signal } = request ?? {};
  const given = new Headers(headers);
  // A socket has no headers of its own: who carries a key goes the other way.
  if (method !== 'GET' || given.has('authorization') || signal?.aborted) return undefined;
  if (given.get('accept') !== 'text/event-stream' || typeof address !== 'string') return undefined;
  const url = new URL(address);
  const found = streams.find((stream) => stream.test(url.pathname));
  if (!found || typeof WebSocket === 'undefined') return undefined;
  url.protocol = url.protocol.replace('http', 'ws');
  url.pathname = url.pathname.replace(found, '/ws$1');
  return new WebSocket(url);
}

/** What the socket brings, as a response; nothing where it could not be opened, or something else speaks on it. */
function responseFrom(socket: WebSocket, signal?: AbortSignal | null): Promise<Response | undefined> {
  return new Promise((resolve) => {
    const leave = (): void => socket.close();
    signal?.addEventListener('abort', leave, { once: true });
    let text: ReadableStreamDefaultController<Uint8Array> | undefined;
    const encoder = new TextEncoder();
    socket.onmessage = ({ data }) => {
      if (text) return text.enqueue(encoder.encode(String(data)));
      const { data: head } = Head.safeParse(parseJson(String(data)));
      if (!head) return leave();
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => void (text = controller),
        cancel() {
          socket.onmessage = null;
          text = undefined;
          leave();
        },
      });
      resolve(responseOf(head, body));
    };
    socket.onclose = () => {
      signal?.removeEventListener('abort', leave);
      text?.close();
      resolve(undefined);
    };
  });
}

function responseOf({ status, headers }: z.infer<typeof Head>, body: ReadableStream<Uint8Array>): Response {
  if (status === 204) return new Response(null, { status, headers });
  return new Response(body, { status, headers: { 'content-type': 'text/event-stream', ...headers } });
}
