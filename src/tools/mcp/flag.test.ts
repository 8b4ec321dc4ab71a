import { expect, test } from 'vitest';
import { readMcpFlag } from './flag.ts';
import { checkServerName } from './name.ts';

const flags: { text: string; name: string }[] = [
  { text: 'npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /data', name: 'filesystem' },
  { text: 'npx some-server --flag', name: 'some' },
  { text: 'node /opt/weather/dist/index.js', name: 'weather' },
  { text: 'uvx mcp-server-git', name: 'git' },
  { text: '"/Applications/My Tools/tool.sh" -v', name: 'tool' },
  { text: 'docker run -i --rm mcp/fetch', name: 'fetch' },
  { text: 'http://127.0.0.1:3001/mcp', name: '127-0-0-1' },
  { text: ' https://mcp.example.com/mcp ', name: 'mcp-example' },
  { text: 'x'.repeat(90), name: 'x'.repeat(20) },
  { text: '@@@', name: 'mcp' },
];
test.for(flags)('names the server of $text', ({ text, name }) => {
  const flag = readMcpFlag(text, new Set());
  expect(flag.name).toBe(name);
  checkServerName(flag.name);
});

test('a command becomes words and a URL stays one', () => {
  expect(readMcpFlag('npx some-server "a b"', new Set())).toEqual({
    name: 'some',
    command: ['npx', 'some-server', 'a b'],
  });
  expect(readMcpFlag('http://127.0.0.1:1/mcp', new Set())).toEqual({
    name: '127-0-0-1',
    url: 'http://127.0.0.1:1/mcp',
  });
});

test('[M3] two servers never get the same name', () => {
  expect(readMcpFlag('npx server-git', new Set(['git', 'git-2'])).name).toBe('git-3');
});

test('an empty flag says what it needs', () => {
  expect(() => readMcpFlag(' ', new Set())).toThrow(/needs a command or a URL/);
});
