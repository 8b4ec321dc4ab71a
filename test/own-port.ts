// A port that is still free when a server comes back to it. One that the system chose may have been given to somebody else by then.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below all that systems give to those who listen anywhere, and to those who connect. */
const [least, most] = [12_000, 32_000];

export async function ownPort(): Promise<number> {
  const port = randomInt(least, most);
  return (await isFree(port)) ? port : ownPort();
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
