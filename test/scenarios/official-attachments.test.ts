// What hangs on messages, in and out, through official clients.
import { HttpAgent } from '@ag-ui/client';
import OpenAI, { AzureOpenAI } from 'openai';
import { expect, test } from 'vitest';
import type { Flow, RunInput } from '../../src/engine/scope.ts';
import { listen } from '../official/ag-ui-client.ts';
import { Chat, partsOf } from '../official/ai-sdk-chat.ts';
import { expectNothingPrinted } from '../official/openai.ts';
import { serving, type Serving } from '../serving.ts';

expectNothingPrinted();

const text = 'Straße';
const pixel = 'iVBORw0KGgo=';
const note = { type: 'text/plain', title: 'note.txt', data: 'Kept.' };
const link = { type: 'image/png', title: 'A cat', url: 'http://127.0.0.9/cat.png' };

/** What came with the message, and an answer on which a note and a link hang. */
async function taking(): Promise<Serving & { readonly seen: () => RunInput['attachments'] }> {
  let seen: RunInput['attachments'] = [];
  const flow: Flow = {
    name: 'taking',
    version: '1',
    async run(scope, { attachments }) {
      seen = attachments;
      for (const attachment of [note, link]) scope.attach({ kind: 'attachment', attachment });
      return 'Taken.';
    },
  };
  return { ...(await serving({ config: { apps: { taking: { flow } } } })), seen: () => seen };
}

const base64 = (given: string): string => Buffer.from(given).toString('base64');

test('[PR25] OpenAI: pictures and files of chat and of responses', async () => {
  const at = await taking();
  const client = new OpenAI({ baseURL: `${at.url}/v1`, apiKey: 'none' });
  const file_data = `data:text/plain;base64,${base64(text)}`;
  await client.chat.completions.create({
    model: 'taking',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          { type: 'image_url', image_url: { url: link.url } },
          { type: 'file', file: { filename: 'a.txt', file_data } },
        ],
      },
    ],
  });
  const wanted = [
    { type: 'image/png', data: pixel },
    { url: link.url },
    { type: 'text/plain', title: 'a.txt', data: text },
  ];
  expect(at.seen()).toMatchObject(wanted);
  await client.responses.create({
    model: 'taking',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${pixel}` },
          { type: 'input_image', detail: 'auto', image_url: link.url },
          { type: 'input_file', filename: 'a.txt', file_data },
        ],
      },
    ],
  });
  expect(at.seen()).toMatchObject(wanted);
});

test('[PR25] DIAL: attachments of the user, and of the answer', async () => {
  const at = await taking();
  const client = new AzureOpenAI({
    endpoint: at.url,
    apiKey: 'none',
    apiVersion: '2025-01-01-preview',
    deployment: 'taking',
  });
  const attachments = [{ type: 'text/plain', title: 'a.txt', data: text }, link];
  const message = { role: 'user', content: 'Look', custom_content: { attachments } } as const;
  const { choices } = await client.chat.completions.create({ model: '', messages: [message] });
  expect(at.seen()).toMatchObject(attachments);
  expect(choices[0]?.message).toMatchObject({ custom_content: { attachments: [note, link] } });
});

test('[PR25] the AI SDK: files of a chat, and of its answer', async () => {
  const at = await taking();
  const chat = new Chat(`${at.url}/ai-sdk/taking/chat`, { id: 'c' });
  const file = (mediaType: string, url: string, filename?: string) => ({
    type: 'file' as const,
    mediaType,
    url,
    ...(filename === undefined ? {} : { filename }),
  });
  await chat.sendMessage({
    text: 'Look',
    files: [
      file('image/png', `data:image/png;base64,${pixel}`),
      file('text/plain', `data:text/plain;base64,${base64(text)}`, 'a.txt'),
      file('image/png', link.url),
    ],
  });
  expect(chat.error).toBeUndefined();
  expect(at.seen()).toMatchObject([
    { type: 'image/png', data: pixel },
    { type: 'text/plain', title: 'a.txt', data: text },
    { type: 'image/png', url: link.url },
  ]);
  const files = partsOf(chat).flatMap((part) => (part.type === 'file' ? [[part.mediaType, part.url]] : []));
  expect(files).toEqual([
    ['text/plain', `data:text/plain;charset=utf-8,${note.data}`],
    ['image/png', link.url],
  ]);
});

test('[PR25] AG-UI: parts of a message as they are now and were before, and what hangs on the answer', async () => {
  const at = await taking();
  const agent = new HttpAgent({
    url: `${at.url}/ag-ui/taking`,
    initialMessages: [
      {
        id: 'u',
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'data', value: pixel, mimeType: 'image/png' } },
          { type: 'document', source: { type: 'data', value: base64(text), mimeType: 'text/plain' } },
          { type: 'image', source: { type: 'url', value: link.url, mimeType: 'image/png' } },
        ],
      },
    ],
  });
  const heard = await listen(agent);
  expect(heard).toMatchObject({ end: 'success', printed: [] });
  const wanted = [
    { type: 'image/png', data: pixel },
    { type: 'text/plain', data: text },
    { type: 'image/png', url: link.url },
  ];
  expect(at.seen()).toMatchObject(wanted);
  const hung = heard.order.filter((told) => told.startsWith('CUSTOM {"name":"attachment"'));
  expect(hung).toEqual([expect.stringContaining(note.data), expect.stringContaining(link.url)]);
  const older = [
    { type: 'binary', mimeType: 'image/png', data: pixel },
    { type: 'binary', mimeType: 'text/plain', data: base64(text) },
    { type: 'binary', mimeType: 'image/png', url: link.url },
    { type: 'hologram' },
  ];
  const json = {
    threadId: 't2',
    runId: 'r',
    messages: [{ id: 'u', role: 'user', content: [{ type: 'text', text: 'Look' }, ...older] }],
    tools: [],
    context: [],
    state: {},
  };
  const told = await at.ask('/ag-ui/taking', { json });
  expect(at.seen()).toMatchObject(wanted);
  expect(told.text, 'nothing is left out without a word').toContain('hologram');
});
