import type { DemoServer } from './loopback-server.ts';

/** Runs a server as the work of this process: says where it listens, and closes it when asked to end. */
export function runAsProcess(name: string, server: DemoServer): void {
  process.stdout.write(`${name} listens at ${server.url}\n`);
  const end = (): void => {
    void server.close().then(() => process.exit(0));
  };
  process.once('SIGINT', end).once('SIGTERM', end);
}

/** The port the environment asks for, or the usual one. */
export function portFrom(environment: NodeJS.ProcessEnv, usual: number): number {
  const port = Number(environment['PORT'] ?? usual);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new Error(`PORT is «${environment['PORT']}»; set it to a number from 0 to 65535.`);
}
