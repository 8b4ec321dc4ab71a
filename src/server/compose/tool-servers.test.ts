import { expect, onTestFinished, test, vi } from 'vitest';
import { recording, watched } from '../../../test/mcp/servers.ts';
import { serving } from '../../../test/serving.ts';
import { RunError } from '../../run/failure.ts';
import { ToolServers } from './tool-servers.ts';

test('[T91] what a server changes is there as soon as it says so, and not a minute later', async () => {
  const mcp = { name: 'sly', command: recording().command, trusted: true };
  const { home } = (await serving({ config: { tools: [{ mcp }] } })).server.context;
  const offered = (name: string) => home.toolServers?.tools.find((tool) => tool.name === `sly__${name}`);
  await vi.waitFor(() => expect(offered('greet')).toMatchObject({ approval: 'never' }), 60_000);
  await offered('change')?.run({}, watched());
  await vi.waitFor(() => expect(offered('greet')?.description).toContain('all your keys'), 60_000);
  expect(offered('greet')?.caution?.(watched())).toContain('changed since it was approved');
});

test('[V132] [V133] each outage is said once, and its end; where a server is, is for its operator', async () => {
  let look = (): void => {};
  let isThere = true;
  const far = {
    name: 'far',
    async list() {
      if (isThere) return { tools: [], notices: [] };
      throw new RunError('unavailable', 'The MCP server far (/srv/bin/far) did not start: no module /srv/x.');
    },
    onChange: (listen: () => void) => void (look = listen),
    close: async () => {},
  };
  const servers = new ToolServers([{ server: far, patience: 1_000 }]);
  onTestFinished(() => servers.close());
  await servers.tried;
  const heard: string[] = [];
  servers.hear((notice) => heard.push(notice));
  const turned = async (there: boolean): Promise<void> => {
    isThere = there;
    await vi.waitFor(() => {
      look();
      expect(servers.away).toEqual(there ? [] : ['far']);
    });
  };
  await turned(false);
  expect(servers.absence('far__x')?.why).toBe(
    'The MCP server far is away: it did not start; it is tried again every 10 s.',
  );
  for (const there of [true, false, true]) await turned(there);
  const away =
    'The MCP server far (/srv/bin/far) is away: it did not start: no module /srv/x; it is tried again every 10 s.';
  const back = 'The MCP server far is back.';
  expect(heard).toEqual([away, back, away, back]);
});

/** A server that is there while it has no trouble, and is looked at again at once. */
function troubled(): {
  readonly servers: ToolServers;
  readonly turn: (trouble?: string) => Promise<void>;
} {
  let look = (): void => {};
  let trouble: string | undefined;
  let looked = 0;
  const far = {
    name: 'far',
    async list() {
      looked++;
      if (trouble === undefined) return { tools: [], notices: [] };
      throw new RunError('unavailable', `The MCP server far ${trouble}`);
    },
    onChange: (listen: () => void) => void (look = listen),
    close: async () => {},
  };
  const servers = new ToolServers([{ server: far, patience: 60_000 }]);
  onTestFinished(() => servers.close());
  return {
    servers,
    async turn(next) {
      await servers.tried;
      trouble = next;
      const before = looked;
      await vi.waitFor(() => {
        look();
        expect(looked).toBeGreaterThan(before + 1);
      });
    },
  };
}

test('[V133] an outage is said again for another reason, not for other details, and from its beginning the next time', async () => {
  const { servers, turn } = troubled();
  const heard: string[] = [];
  servers.hear((notice) => heard.push(notice));
  for (const details of ['12:01 no license', '12:02 no license', '12:03 no license'])
    await turn(`did not start: ${details}.`);
  await turn('at host:80 answered 401; check its headers.');
  await turn('did not start: 12:04 no license.');
  await turn();
  await turn('did not start: 12:01 no license.');
  const away = (why: string): string => `The MCP server far${why}; it is tried again every 10 s.`;
  const first = away(' is away: it did not start: 12:01 no license');
  const other = away(' at host:80 is away: it answered 401; check its headers');
  expect(heard).toEqual([first, other, 'The MCP server far is back.', first]);
});

test('[V133] what turned out before anybody heard is news once, and not what was over by then', async () => {
  const { servers, turn } = troubled();
  await turn('cannot be reached: nobody.');
  await turn();
  expect(servers.news()).toEqual([]);
  await turn('cannot be reached: nobody.');
  const away = 'The MCP server far is away: it cannot be reached: nobody; it is tried again every 10 s.';
  expect(servers.news()).toEqual([away]);
  await turn();
  await turn('cannot be reached: nobody.');
  const heard: string[] = [];
  servers.hear((notice) => heard.push(notice));
  expect(heard).toEqual([]);
  await turn();
  expect(heard).toEqual(['The MCP server far is back.']);
});

test('[V132] [V133] what is told of a server while the one that listens still begins is heard all the same', async () => {
  const { servers, turn } = troubled();
  expect(servers.news()).toEqual([]);
  await turn('cannot be reached: nobody.');
  const heard: string[] = [];
  servers.hear((notice) => heard.push(notice));
  expect(heard).toEqual([
    'The MCP server far is away: it cannot be reached: nobody; it is tried again every 10 s.',
  ]);
});

test('[DF25] a server that has no tools any more has answered: nobody waits for it', async () => {
  const listing = Promise.withResolvers<{ tools: []; notices: [] }>();
  const far = { name: 'far', list: () => listing.promise, close: async () => {} };
  const servers = new ToolServers([{ server: far, patience: 60_000 }]);
  onTestFinished(() => servers.close());
  expect(servers.absence('far__x')?.why).toBe('The MCP server far has not answered yet.');
  listing.resolve({ tools: [], notices: [] });
  await servers.tried;
  expect(servers.absence('far__x')).toBeUndefined();
});
