import { expect, test } from 'vitest';
import { watched } from '../../../test/mcp/servers.ts';
import { readResult } from './result.ts';

test('[M7] structured content is the result, whatever the text says', async () => {
  const result = { content: [{ type: 'text' as const, text: 'warm' }], structuredContent: { degrees: 21 } };
  expect(await readResult('t', result, watched())).toEqual({ degrees: 21 });
});

test('[M7] texts are joined, and what is not text is attached with a line in its place', async () => {
  const context = watched();
  const result = await readResult(
    't',
    {
      content: [
        { type: 'text', text: 'first' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'demo://text', mimeType: 'text/markdown', text: '# Hi' } },
        { type: 'resource', resource: { uri: 'demo://blob', blob: 'aGk=' } },
        { type: 'resource_link', uri: 'https://example.com/a.pdf', name: 'a', mimeType: 'application/pdf' },
        { type: 'resource_link', uri: 'javascript:alert(1)', name: 'b' },
      ],
    },
    context,
  );
  expect(result).toBe(
    [
      'first',
      '[attached: image/png]',
      '[attached: audio/wav]',
      '# Hi',
      '[attached: demo://blob application/octet-stream]',
      '[linked: a https://example.com/a.pdf]',
      '[linked: b javascript:alert(1)]',
    ].join('\n'),
  );
  expect(context.items.map((item) => item.kind === 'attachment' && item.attachment)).toEqual([
    { type: 'image/png', data: 'aGk=' },
    { type: 'audio/wav', data: 'aGk=' },
    { type: 'text/markdown', title: 'demo://text', data: '# Hi' },
    { type: 'application/octet-stream', title: 'demo://blob', data: 'aGk=' },
    { type: 'application/pdf', title: 'a', url: 'https://example.com/a.pdf' },
    { type: 'text/uri-list', title: 'b', data: 'javascript:alert(1)' },
  ]);
});

test('[M7] a failed tool fails the call with the server’s words, and attaches nothing', async () => {
  const context = watched();
  const content = [
    { type: 'text' as const, text: 'y'.repeat(5000) },
    { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' },
  ];
  const failing = readResult('t', { isError: true, content }, context);
  await expect(failing).rejects.toThrow(/^t failed: y{1000}… \(\d+ more characters\)\.$/);
  expect(context.items).toEqual([]);
});
