import { readFile } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';

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
