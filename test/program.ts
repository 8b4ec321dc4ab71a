// Vitrine in the program of a test, closed with it.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Flow } from '../src/engine/scope.ts';
import { openVitrine, type Vitrine, type VitrineSettings } from '../src/program/open-vitrine.ts';
import { temporaryFolder } from './serving.ts';

export async function vitrineIn(settings: Partial<VitrineSettings>): Promise<Vitrine> {
  const vitrine = await openVitrine({ data: temporaryFolder(), ...settings });
  onTestFinished(() => vitrine.close().catch(() => {}));
  return vitrine;
}

/** An app whose runs wait until they are let through. */
export function gate(): {
  readonly app: { readonly flow: Flow };
  readonly reached: Promise<void>;
  open(): void;
} {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const flow: Flow = {
    name: 'waits',
    version: '1',
    run: (scope, { text }) =>
      scope.step({ key: 'wait', title: 'Wait' }, async () => {
        reached.resolve();
        await opened.promise;
        return `${text} went through`;
      }),
  };
  return { app: { flow }, reached: reached.promise, open: () => opened.resolve() };
}

/** A server of a program's own on loopback. */
export async function serverOf(listener: RequestListener | Server): Promise<string> {
  const server = typeof listener === 'function' ? createServer(listener) : listener;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** It brings no types. */
export const express = createRequire(import.meta.url)('express') as {
  (): RequestListener & {
    use(path: string, handler: RequestListener): void;
    use(handler: RequestListener): void;
  };
  json(): RequestListener;
};
