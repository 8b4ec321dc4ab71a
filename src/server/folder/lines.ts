import type { Socket } from 'node:net';

/** Calls `take` with each whole line a socket brings, one at a time; more than `longest` characters end it. */
export function readLines(socket: Socket, longest: number, take: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longest) socket.destroy(new Error('A line is too long.'));
    for (const line of lines) if (line !== '') take(line);
  });
}
