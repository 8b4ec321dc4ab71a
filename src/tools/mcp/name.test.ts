import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkServerName, nameTools } from './name.ts';

const serverName = fc.stringMatching(/^[a-zA-Z0-9-]{1,6}(_[a-zA-Z0-9-]{1,6}){0,2}$/);
const toolNames = fc.uniqueArray(
  fc.oneof(fc.string(), fc.constantFrom('a.b', 'a_b', 'a b', '_b', '__', 'x'.repeat(99))),
);

test('[M3] every tool has a name that models accept, and no two have the same', () => {
  fc.assert(
    fc.property(serverName, toolNames, (server, tools) => {
      const names = nameTools(server, tools);
      expect([...names.keys()].toSorted()).toEqual(tools.toSorted());
      expect(new Set(names.values()).size).toBe(tools.length);
      for (const name of names.values()) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }),
  );
});

test('[M3] a name tells its server, so no server can take the name of another one’s tool', () => {
  fc.assert(
    fc.property(serverName, toolNames, (server, tools) => {
      for (const name of nameTools(server, tools).values())
        expect(name.slice(0, name.indexOf('__'))).toBe(server);
    }),
  );
});

test('[M3] a tool named like the altered name of another gets its own name and keeps it', () => {
  const altered = nameTools('s', ['a.b']).get('a.b')?.slice(3) ?? '';
  const names = nameTools('s', ['a.b', altered]);
  expect(names.get(altered)).toBe(`s__${altered}`);
  expect(names.get('a.b')).not.toBe(`s__${altered}`);
});

test.for(['', 'a__b', '_a', 'a_', 'a b', 'a.b', 'ä', 'x'.repeat(25)])(
  '[M3] refuses "%s" as a server name',
  (name) => {
    expect(() => checkServerName(name)).toThrow(/server name/);
  },
);
