// Many viewers in a process of their own: raw sockets that check every frame.
import { connect, type Socket } from 'node:net';

export interface CrowdRun {
  readonly run: string;
  readonly name: string;
}

export type CrowdOrder =
  | {
      readonly open: {
        readonly runs: readonly CrowdRun[];
        readonly each: number;
        readonly after: number;
        readonly stalled: boolean;
      };
    }
  /** Cut everyone off, and let everyone come back to its place at the same moment. */
  | { readonly cut: true }
  /** From now on, again and again, some leave and come back. */
  | { readonly churn: boolean }
  /** Those who took nothing take everything. */
  | { readonly resume: true }
  /** Count from here. */
  | { readonly clear: true }
  | { readonly report: { readonly seq: number } };

export interface CrowdReport {
  readonly viewers: number;
  /** Viewers that read and have an answer. */
  readonly live: number;
  /** Viewers whose last entry is at least the one that was asked about. */
  readonly there: number;
  readonly ended: number;
  /** Entries that came out of order, twice, not at all, or of another run. */
  readonly faults: readonly string[];
  readonly entries: number;
  readonly reconnects: number;
  /** Milliseconds from the entry's time to its arrival. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

interface Viewer extends CrowdRun {
  socket: Socket;
  seq: number;
  rest: string;
  isStalled: boolean;
  isOpen: boolean;
  /** When it last came, so that what it had missed does not count as late. */
  since: number;
  hasEnded: boolean;
}

const url = new URL(process.argv[2] ?? '');
const viewers: Viewer[] = [];
const faults: string[] = [];
let latencies: number[] = [];
let entries = 0;
let reconnects = 0;
let churning: NodeJS.Timeout | undefined;

function open(viewer: Viewer): void {
  const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true });
  viewer.socket = socket;
  viewer.rest = '';
  viewer.isOpen = false;
  viewer.since = Date.now();
  socket.setEncoding('latin1');
  socket.on('connect', () => {
    const path = `/api/runs/${viewer.run}/events?after=${viewer.seq}`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n\r\n`);
    if (viewer.isStalled) socket.pause();
  });
  socket.on('data', (text: string) => read(viewer, text));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    if (viewer.socket !== socket || viewer.hasEnded) return;
    reconnects += 1;
    setTimeout(() => open(viewer), 20);
  });
}

/** Chunk sizes stand on lines of their own, so entries are found by their first line wherever they are cut. */
function read(viewer: Viewer, text: string): void {
  if (!viewer.isOpen) viewer.isOpen = true;
  const whole = viewer.rest + text;
  const now = Date.now();
  let place = 0;
  for (;;) {
    const start = whole.indexOf('id: ', place);
    if (start < 0) break;
    const line = whole.indexOf('\n', start);
    const end = line < 0 ? -1 : whole.indexOf('\n', line + 1);
    if (end < 0) {
      viewer.rest = whole.slice(start);
      return;
    }
    take(viewer, Number(whole.slice(start + 4, line)), { line: whole.slice(line + 1, end), now });
    place = end;
  }
  viewer.rest = whole.slice(Math.max(place, whole.length - 3));
}

function take(
  viewer: Viewer,
  seq: number,
  { line, now }: { readonly line: string; readonly now: number },
): void {
  entries += 1;
  if (seq !== viewer.seq + 1) fault(`${viewer.name} came from ${viewer.seq} to ${seq}`);
  viewer.seq = seq;
  const at = Number(line.slice(11, 24));
  if (latencies.length < 5_000_000 && at > viewer.since) latencies.push(now - at);
  const said = line.indexOf('"x":"');
  if (said > 0 && !line.startsWith(`${viewer.name}#`, said + 5))
    fault(`${viewer.name} was told ${line.slice(said, said + 40)}`);
  if (line.includes('"run.ended"')) {
    viewer.hasEnded = true;
    viewer.socket.destroy();
  }
}

function fault(what: string): void {
  if (faults.length < 20) faults.push(what);
}

function churn(): void {
  for (let i = 0; i < viewers.length / 200; i += 1) {
    const viewer = viewers[Math.floor(Math.random() * viewers.length)];
    if (viewer && !viewer.hasEnded) viewer.socket.resetAndDestroy();
  }
}

function reportOf(seq: number): CrowdReport {
  const sorted = latencies.toSorted((one, other) => one - other);
  const part = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    viewers: viewers.length,
    live: viewers.filter(({ isOpen }) => isOpen).length,
    there: viewers.filter((viewer) => viewer.seq >= seq || viewer.hasEnded).length,
    ended: viewers.filter(({ hasEnded }) => hasEnded).length,
    faults,
    entries,
    reconnects,
    p50: part(0.5),
    p99: part(0.99),
    max: part(1),
  };
}

process.on('message', (order: CrowdOrder) => {
  if ('open' in order) {
    const { runs, each, after, stalled } = order.open;
    for (const run of runs) {
      for (let i = 0; i < each; i += 1) {
        const viewer: Viewer = {
          ...run,
          seq: after,
          rest: '',
          isStalled: stalled,
          isOpen: false,
          since: 0,
          hasEnded: false,
          socket: unopened,
        };
        viewers.push(viewer);
        open(viewer);
      }
    }
  } else if ('cut' in order) for (const { socket } of viewers) socket.resetAndDestroy();
  else if ('churn' in order) {
    clearInterval(churning);
    if (order.churn) churning = setInterval(churn, 100);
  } else if ('resume' in order) {
    for (const viewer of viewers) {
      viewer.isStalled = false;
      viewer.socket.resume();
    }
  } else if ('clear' in order) {
    latencies = [];
    entries = 0;
  } else process.send?.(reportOf(order.report.seq));
});

// Whoever started it is gone, maybe killed: nobody else would ever end it.
process.on('disconnect', () => process.exit(1));

const unopened = connect({ port: Number(url.port), host: url.hostname }).on('error', () => {});
unopened.unref();
process.send?.({ ready: true });
