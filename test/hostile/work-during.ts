// How much the main thread works while somebody waits for an answer: what they would wait for on a machine that has nothing
// else to do, whatever else this one does.
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { quantiles, type Times } from './times.ts';

interface Begun {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Of requests with this key, since it was last asked. */
export function workDuring(key: string): { take(): Times } {
  let worked: number[] = [];
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as Begun;
    if (request.headers.authorization !== `Bearer ${key}`) return;
    const before = process.threadCpuUsage();
    response.on('close', () => {
      const { user, system } = process.threadCpuUsage(before);
      worked.push((user + system) / 1_000);
    });
  });
  return {
    take() {
      const taken = quantiles(worked);
      worked = [];
      return taken;
    },
  };
}
