// A process of its own that keeps what was really done: one line for each effect, in a file, synced before it answers.
// It recognises a repeated idempotency key where the effect says that it may be repeated.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

export interface Line {
  readonly file: string;
  readonly effect: 'pure' | 'idempotent' | 'once' | 'model';
  readonly key: string;
  readonly what: string;
}

const [socket] = process.argv.slice(2);
const keys = new Set<string>();
const server = createServer((connection) => {
  const lines = createInterface(connection);
  lines.on('line', (text) => {
    const line = JSON.parse(text) as Line;
    const name = `${line.file}#${line.key}`;
    const isKnown = line.effect === 'idempotent' && keys.has(name);
    keys.add(name);
    if (!isKnown) appendFileSync(line.file, `${JSON.stringify(line)}\n`, { flush: true });
    connection.write('ok\n');
  });
  // Whoever asks may be killed at any moment, also now.
  lines.on('error', () => lines.close());
  connection.on('error', () => connection.destroy());
});
server.listen(socket, () => process.stdout.write('ready\n'));
process.stdin.resume().on('end', () => process.exit(0));
