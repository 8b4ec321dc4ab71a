import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RunError, type Failure } from '../../run/failure.ts';
import { sse, type Framing } from '../../wire/framing.ts';
import type { AppSettings } from '../app.ts';
import type { Caller } from '../access/honest.ts';
import { safeHeaders } from './headers.ts';
import { cleanBlocks, isHighSurrogate, jsonTexts } from './json-parts.ts';
import { refusalHeaders } from './raw-refusal.ts';
import { inBytes, refusalOf } from './refusal.ts';
import { wrongMethod, type OtherMethods } from './wrong-method.ts';
import type { Reply, Route } from '../routes/route.ts';
import type { Server, Socket } from 'node:net';
import { readFile } from 'node:fs/promises';
import { type Sink, comment, farewell } from '../viewers/viewer.ts';
import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { Form } from '../viewers/channel.ts';

const jsonType = 'application/json; charset=utf-8';
/** What is longer is handed to the connection in blocks, as it takes them: unsent answers cost memory. Bytes. */
const blockSize = 64 * 1024;

export function send(
  settings: AppSettings,
  reply: FastifyReply,
  { status, json, parts, bytes, headers }: Reply,
): FastifyReply {
  reply.code(status).headers(headers ?? {});
  const { secrets } = settings.context.home;
  if (parts) return sendTexts(settings, reply.type(jsonType), jsonTexts(parts, secrets));
  if (!bytes) {
    if (json === undefined) return reply.send();
    const text = JSON.stringify(json);
    if (text.length <= blockSize) return reply.type(jsonType).send(settings.clean(text));
    return sendTexts(settings, reply.type(jsonType), cleanBlocks([text], secrets));
  }
  const { content } = bytes;
  reply.type(bytes.type);
  if (typeof content !== 'string' && !Buffer.isBuffer(content)) return sendTexts(settings, reply, content);
  if (content.length <= blockSize) return reply.send(content);
  return sendTexts(settings, reply.header('content-length', Buffer.byteLength(content)), [content]);
}

/** What `GET` would answer, without its body: nothing that goes on is opened for it. */
export function sendHead(settings: AppSettings, reply: FastifyReply, answer: Reply): FastifyReply {
  const { status, headers = {}, stream: watched, poured, framing = sse, giveBack } = answer;
  giveBack?.();
  if (!watched && !poured) return send(settings, reply, answer);
  if (poured) void poured.texts[Symbol.asyncIterator]().return?.();
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': poured?.type ?? framing.type })
    .send();
}

function sendTexts(
  { context, patience }: AppSettings,
  reply: FastifyReply,
  texts: Iterable<string | Buffer> | AsyncIterable<string | Buffer>,
): FastifyReply {
  const body = Readable.from(
    inBlocks(texts, patience, () => reply.raw.destroy()),
    { objectMode: false },
  );
  body.on('error', (thrown) => {
    if (!reply.raw.destroyed) context.log.problem('An answer broke off.', thrown);
  });
  return reply.send(body);
}

/** A block that nobody takes in time is the last one. */
async function* inBlocks(
  texts: Iterable<string | Buffer> | AsyncIterable<string | Buffer>,
  patience: number,
  cut: () => void,
): AsyncGenerator<Buffer> {
  const enough = setTimeout(cut, patience);
  try {
    for await (const text of texts) {
      for (let from = 0; from < text.length;) {
        let to = from + blockSize;
        if (typeof text === 'string' && isHighSurrogate(text.charCodeAt(to - 1))) to += 1;
        const block = text.slice(from, to);
        yield typeof block === 'string' ? Buffer.from(block) : block;
        enough.refresh();
        from = to;
      }
    }
  } finally {
    clearTimeout(enough);
  }
}

export function stream(
  { context }: AppSettings,
  reply: FastifyReply,
  { answer, caller }: { readonly answer: Reply; readonly caller: Caller },
): void {
  const { raw } = reply;
  // Whoever left while we looked things up never says so again. One that is queued behind another has no socket yet.
  if (raw.destroyed || raw.socket?.destroyed === true) {
    answer.giveBack?.();
    return void reply.hijack();
  }
  if (!raw.socket) {
    answer.giveBack?.();
    throw new RunError('malformed', 'Ask for a stream on a connection of its own.');
  }
  const giveBack = answer.giveBack ?? context.quotas.stream(caller.tenant);
  reply.hijack();
  const sink = sseSink(raw, { ...reply.getHeaders(), ...answer.headers }, answer);
  const over = context.streams.add(caller, () => sink.cut());
  raw.on('close', () => {
    over();
    giveBack();
  });
  answer.stream?.(sink);
}

/** The route a request has come to, if it has come to one. */
export function routeOf(
  routes: readonly Route[],
  { method, routeOptions }: FastifyRequest,
): Route | undefined {
  const meant = method === 'HEAD' ? 'GET' : method;
  return routes.find((route) => route.path === routeOptions.url && route.method === meant);
}

export function refuse(
  { context, hidden, clean, routes }: AppSettings,
  reply: FastifyReply,
  thrown: unknown,
): FastifyReply {
  const { request } = reply;
  const route: Partial<Route> = routeOf(routes, request) ?? {};
  const { body } = route;
  const taken = { isFile: body === 'bytes', most: request.routeOptions.bodyLimit };
  const { status, failure, isBug } = refusalOf(inBytes(thrown, taken), hidden);
  if (isBug) context.log.problem('A request failed.', thrown);
  return sendRefusal(clean, reply, { status, failure, route });
}

/** Something is there, and does not what was asked for. */
export function refuseMethod({ clean }: AppSettings, reply: FastifyReply, other: OtherMethods): FastifyReply {
  const { failure } = wrongMethod(reply.request.method, other);
  reply.header('allow', other.allowed.join(', '));
  return sendRefusal(clean, reply, { status: 405, failure, route: other.route });
}

interface Sent {
  readonly status: number;
  readonly failure: Failure;
  readonly route: Pick<Route, 'errorBody'>;
}

function sendRefusal(
  clean: (text: string) => string,
  reply: FastifyReply,
  { status, failure, route: { errorBody = (error: Failure) => ({ error }) } }: Sent,
): FastifyReply {
  // What is left of its body is read at its own pace, and not at that of the framework.
  reply.request.raw.resume();
  return reply
    .code(status)
    .headers({ ...safeHeaders, ...refusalHeaders(status) })
    .type(jsonType)
    .send(clean(JSON.stringify(errorBody(failure, status))));
}

/** Everything that is open to somebody, so that it can be closed when they may no longer look. */
export interface Streams {
  /** Returns what to call when it is over. */
  add(caller: Caller, cut: () => void): () => void;
  /** Cut off everyone who may no longer look. */
  sweep(mayStay: (caller: Caller) => boolean): void;
  readonly size: number;
}

export function openStreams(): Streams {
  const open = new Set<{ readonly caller: Caller; readonly cut: () => void }>();
  return {
    get size() {
      return open.size;
    },
    add(caller, cut) {
      const stream = { caller, cut };
      open.add(stream);
      return () => void open.delete(stream);
    },
    sweep(mayStay) {
      for (const stream of open) if (!mayStay(stream.caller)) stream.cut();
    },
  };
}

/** How often to look. Milliseconds. */
const every = 5_000;
/** How often the kernel has sent the same bytes when nobody is taken to be there: it waits twice as long each time, 0.2 seconds at first. */
const enough = 6;
/** What the kernel of Linux tells of each connection. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];
/** Columns of it: both ends, and how often what is unanswered was sent again. */
const [localOf, remoteOf, againOf] = [1, 2, 6];

/**
 * Cuts off peers that went without a word while something was on its way to them. Probes of an idle connection find only
 * those to whom nothing was said since, and the kernel goes on sending what was said for a quarter of an hour.
 */
export function cutSilentPeers(
  server: Server,
  read: () => Promise<readonly string[]> = kernelTables,
): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const look = async (): Promise<void> => {
    if (open.size === 0) return;
    const silent = new Set((await read()).flatMap(silentIn));
    for (const socket of open) if (silent.has(nameOf(socket))) socket.destroy();
  };
  const looking = setInterval(() => void look(), every).unref();
  return () => clearInterval(looking);
}

/** Connections whose peer has not answered for long, by their ends. */
function silentIn(table: string): readonly string[] {
  return table.split('\n').flatMap((line) => {
    const columns = line.trim().split(/\s+/);
    if (!(parseInt(columns[againOf] ?? '', 16) >= enough)) return [];
    return [`${endIn(columns[localOf])} ${endIn(columns[remoteOf])}`];
  });
}

/** `0100007F:B4FD` is 127.0.0.1:46333: four bytes of an address, the last one first. */
function endIn(text = ''): string {
  const [address = '', port = ''] = text.split(':');
  const bytes = address.slice(-8).match(/../g) ?? [];
  return `${bytes
    .map((byte) => parseInt(byte, 16))
    .toReversed()
    .join('.')}:${parseInt(port, 16)}`;
}

function nameOf({ localAddress = '', localPort, remoteAddress = '', remotePort }: Socket): string {
  const plain = (address: string): string => address.replace(/^::ffff:/, '');
  return `${plain(localAddress)}:${localPort} ${plain(remoteAddress)}:${remotePort}`;
}

/** Nothing where there is no such kernel. */
function kernelTables(): Promise<readonly string[]> {
  return Promise.all(tables.map((file) => readFile(file, 'utf8').catch(() => '')));
}

/** A probe after so many milliseconds of silence finds peers that are gone without a word. */
const probeAfter = 5_000;

/**
 * Frames as one chunk of a response. Made here and not by the response, which would make it anew, in three writes, for
 * each of thousands of viewers.
 */
const chunked: Form = (frames) => inChunk(Buffer.from(frames));

const chunkedBytes: Form = (frames) => inChunk(Buffer.from(frames, 'latin1'));

function inChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, lineEnd]);
}

const lineEnd = Buffer.from('\r\n');

/** For clients, and proxies, that know no chunks: the end of the connection is the end of the stream. */
const plain: Form = (frames) => Buffer.from(frames);

const plainBytes: Form = (frames) => Buffer.from(frames, 'latin1');

/** Server-sent events on a response that is written by hand. It has its socket, and nothing was written to it. */
export function sseSink(
  response: ServerResponse,
  headers: Readonly<Record<string, OutgoingHttpHeader | undefined>>,
  { beat = comment, framing = sse }: { readonly beat?: string; readonly framing?: Framing } = {},
): Sink {
  const { socket, req } = response;
  const knowsChunks = req.httpVersion !== '1.0';
  const [inChunks, asItIs] = framing.isBinary ? [chunkedBytes, plainBytes] : [chunked, plain];
  const form = knowsChunks ? inChunks : asItIs;
  // What is at hand already leaves with the head, in one write.
  socket?.cork();
  setImmediate(() => socket?.uncork());
  response.writeHead(200, {
    ...headers,
    'content-type': framing.type,
    'cache-control': 'no-store',
    ...(knowsChunks ? { 'transfer-encoding': 'chunked' } : { connection: 'close' }),
    // Proxies that gather before they pass on would turn a live stream into a download.
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  socket?.setNoDelay(true);
  socket?.setKeepAlive(true, probeAfter);
  const write = (bytes: Buffer): boolean => socket?.write(bytes) ?? true;
  return {
    framing,
    form,
    write,
    say(frames) {
      const size = framing.isBinary ? frames.length : Buffer.byteLength(frames);
      const text = knowsChunks ? `${size.toString(16)}\r\n${frames}\r\n` : frames;
      // Where every character is a byte, nothing has to be encoded.
      return socket?.write(text, size === frames.length ? 'latin1' : 'utf8') ?? true;
    },
    held: () => socket?.writableLength ?? 0,
    // Between bytes there is no room for a comment.
    beat: (heard) => void (heard || framing.isBinary || write(form(beat))),
    end(why) {
      if (why && !framing.isBinary) write(form(farewell));
      // Whoever is told to come back comes to a server that may be another one.
      response.end(why ? () => socket?.destroySoon() : undefined);
    },
    cut: () => void response.destroy(),
    listen({ drained, gone }) {
      socket?.on('drain', drained);
      response.on('close', () => {
        // The connection may outlive the stream, and serve another one.
        socket?.off('drain', drained);
        gone();
      });
      response.on('error', gone);
    },
  };
}
