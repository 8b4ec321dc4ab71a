import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { AgentSettings, Model } from './agent-settings.ts';

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
}

/** The names of all settings, those inside others included; what stands in a key is described with secrets. */
function namesIn({ properties = {} }: Described): string[] {
  return Object.entries(properties).flatMap(([name, inner]) => [
    name,
    ...(name === 'key' ? [] : namesIn(inner)),
  ]);
}

test('[G28] every setting of an agent is in the guide', () => {
  const guide = readFileSync('docs/guides/agent-settings.md', 'utf8');
  const names = [AgentSettings, Model].flatMap((schema) =>
    namesIn(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Described),
  );
  expect(names).toContain('toolExchanges');
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});
