import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { surfaceClient, type SurfaceClient } from '../../../test/a2ui/clients.ts';
import { toRenderer, versions, type Version } from '../../../test/a2ui/schemas.ts';
import { anyEntries } from '../../../test/arbitraries.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import { variety } from '../../../test/variety.ts';
import type { Entry } from '../../run/events.ts';
import { foldAll } from '../../run/entries.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';
import { projectionContract } from '../projection.contract.ts';
import { a2uiProtocols } from './a2ui.ts';
import { surfaceProjection } from './surface-projection.ts';

projectionContract('a surface', surfaceProjection);

const run = 'run_42';

function told(version: Version, entries: readonly Entry[]): readonly (readonly SseFrame[])[] {
  const telling = a2uiProtocols[version].telling({ run });
  return entries.map((entry) => telling.tell(entry));
}

function prelude(version: Version, entries: readonly Entry[]): readonly SseFrame[] {
  return a2uiProtocols[version].prelude?.(foldAll(entries), { run }) ?? [];
}

function hear(client: SurfaceClient, frames: readonly SseFrame[]): SurfaceClient {
  for (const { data } of frames) client.take(data);
  return client;
}

describe.for(versions)('%s', (version) => {
  const validate = toRenderer[version];
  const expectValid = (frames: readonly SseFrame[]): void => {
    for (const { data } of frames)
      if (!validate(JSON.parse(data))) expect([data, validate.errors]).toEqual([data, null]);
  };

  test('[UI1] whatever a journal says, its messages fit the official schema', () => {
    fc.assert(
      fc.property(fc.oneof(plausibleRun, anyEntries), (entries) => {
        expectValid(told(version, entries).flat());
        expectValid(prelude(version, entries));
      }),
      { numRuns: 100 },
    );
  });

  test('[UI2] one who comes back to any run, at any entry, ends with the surface of one who saw it all', () => {
    const has = new Set<string>();
    fc.assert(
      fc.property(plausibleRun, fc.nat(), (entries, cut) => {
        for (const one of variety(entries)) has.add(one);
        const place = 1 + (cut % entries.length);
        const frames = told(version, entries);
        const client = hear(surfaceClient(version, run), prelude(version, entries.slice(0, place)));
        hear(client, frames.slice(place).flat());
        expect(client.state()).toEqual(hear(surfaceClient(version, run), frames.flat()).state());
      }),
      { numRuns: 60, seed: 7 },
    );
    for (const kind of ['depth 4', 'superseded', 'lapsed', 'parallel', 'skipped', 'run stopped'])
      expect(has).toContain(kind);
  });
});
