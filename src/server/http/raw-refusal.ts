import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Failure } from '../../run/failure.ts';
import { safeHeaders } from './headers.ts';

/** A refusal where there is no response to write it on: before a request could be read, or in place of a socket. */
export function rawRefusal(
  status: number,
  failure: Failure,
  clean: (text: string) => string = String,
): string {
  const body = clean(JSON.stringify({ error: failure }));
  const headers = {
    ...safeHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...refusalHeaders(status),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** What a client may need to know beside the sentence. */
export function refusalHeaders(status: number): Readonly<Record<string, string>> {
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  return status === 429 ? { 'retry-after': '1' } : {};
}

/** What is no request, or does not become one in time. The statuses are those of the protocol, not of what we refuse. */
export function refuseUnread({ code }: { readonly code?: string | undefined }, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const [status, failure] = unread[code ?? ''] ?? unreadable;
  if (socket.writable) socket.write(rawRefusal(status, failure));
  socket.destroySoon();
}

/** «Expect» with anything but what everybody knows. */
export function refuseExpectation({ socket }: IncomingMessage): void {
  socket.end(rawRefusal(417, { code: 'malformed', message: 'What the request expects is not known here.' }));
}

type Unread = readonly [number, Failure];
const unreadable: Unread = [400, { code: 'malformed', message: 'The request cannot be read.' }];
const unread: Readonly<Record<string, Unread>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    { code: 'too-large', message: 'The headers are larger than what is taken here.' },
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, { code: 'timed-out', message: 'The request did not arrive in time.' }],
};
