import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { quietly } from '../official/ag-ui-client.ts';
import { approvalIn, Chat, partsOf, pathsIn, textIn } from '../official/ai-sdk-chat.ts';
import { teamServer } from '../official/openai.ts';
import { officialServer } from '../official/process.ts';
import { half, ordersIn, standStill, teamAnswer, teamPieces, teamTree } from '../official/team.ts';

function chatAt(url: string, id: string): Chat {
  return new Chat(`${url}/ai-sdk/team/chat`, { id });
}

describe('[AI5] the official chat, unmodified', () => {
  test('nested agents, a tool, an approval, and the answer of the journal', async () => {
    const at = await teamServer();
    const chat = chatAt(at.url, 'chat-1');
    const printed = await quietly(async () => {
      await chat.sendMessage({ text: 'Frankenstein, please' });
      expect(chat).toMatchObject({ status: 'ready', error: undefined });
      expect(ordersIn(at.folder)).toEqual([]);
      await chat.addToolApprovalResponse({ id: approvalIn(chat) ?? '', approved: true });
      await vi.waitFor(() => expect(textIn(chat)).toBe(teamAnswer));
      await vi.waitFor(() => expect(chat.status).toBe('ready'));
    });
    expect(printed).toEqual([]);
    expect(chat.messages).toHaveLength(2);
    expect(ordersIn(at.folder)).toEqual(['{"item":"Frankenstein"}']);
    expect(pathsIn(chat)).toEqual(teamTree);
    expect(partsOf(chat)).toContainEqual(
      expect.objectContaining({ type: 'dynamic-tool', state: 'output-available' }),
    );
    const { json } = await at.ask(`/api/runs/${chat.lastMessage?.id}`);
    expect(json).toMatchObject({ status: 'completed', answer: teamAnswer });
    const { parts } = chat.lastMessage ?? {};
    await chat.resumeStream();
    expect(chat.messages, 'one that comes too late has it all the same').toHaveLength(2);
    expect(textsOf(chat.lastMessage?.parts)).toEqual(textsOf(parts));
    expect((await fetch(`${at.url}/ai-sdk/team/chat/none/stream`)).status).toBe(204);
  });

  test('a no is told as denied, and nothing is done', async () => {
    const at = await teamServer();
    const chat = chatAt(at.url, 'chat-2');
    await chat.sendMessage({ text: 'Frankenstein, please' });
    await chat.addToolApprovalResponse({ id: approvalIn(chat) ?? '', approved: false, reason: 'Too dear.' });
    await vi.waitFor(() => expect(textIn(chat)).toBe(teamAnswer));
    expect(partsOf(chat)).toContainEqual(
      expect.objectContaining({ type: 'dynamic-tool', state: 'output-denied' }),
    );
    expect(ordersIn(at.folder)).toEqual([]);
  });

  test('stop, and regenerate', async () => {
    const at = await teamServer();
    const chat = chatAt(at.url, 'chat-3');
    const print = vi.spyOn(console, 'error');
    onTestFinished(() => print.mockRestore());
    await chat.sendMessage({ text: 'slow Frankenstein' });
    standStill(at.folder, true);
    void chat.addToolApprovalResponse({ id: approvalIn(chat) ?? '', approved: true });
    await vi.waitFor(() => expect(textIn(chat)).toBe(teamPieces.slice(0, half).join('')));
    const run = chat.lastMessage?.id ?? '';
    expect((await fetch(`${at.url}/ai-sdk/team/chat/chat-3/stop`, { method: 'POST' })).status).toBe(204);
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
    expect((await at.ask(`/api/runs/${run}`)).json).toMatchObject({ status: 'stopped' });
    expect(pathsIn(chat)).toEqual(teamTree);
    expect(ordersIn(at.folder)).toHaveLength(1);
    expect(print.mock.calls).toEqual([]);
    standStill(at.folder, false);
    await chat.regenerate();
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage?.id).not.toBe(run);
  });

  test('the transport alone, read as messages', async () => {
    const at = await teamServer();
    const transport = new DefaultChatTransport({ api: `${at.url}/ai-sdk/team/chat` });
    const messages: UIMessage[] = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
    const sent = { chatId: 'c', messages, messageId: undefined, abortSignal: undefined };
    const stream = await transport.sendMessages({ trigger: 'submit-message', ...sent });
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream })) last = message;
    expect(last?.parts.at(-1)).toMatchObject({ type: 'dynamic-tool', state: 'approval-requested' });
  });
});

test('[AI6] a crash in the middle of the answer: the chat resumes, with the same message', async () => {
  const server = await officialServer();
  const chat = chatAt(server.url, 'chat-4');
  await chat.sendMessage({ text: 'Frankenstein, please' });
  const { id } = chat.lastMessage ?? {};
  server.still(true);
  const before = await quietly(async () => {
    const going = chat.addToolApprovalResponse({ id: approvalIn(chat) ?? '', approved: true });
    await vi.waitFor(() => expect(textIn(chat)).toBe(teamPieces.slice(0, half).join('')));
    await server.crash();
    await going;
  });
  expect(before).toEqual([]);
  await vi.waitFor(() => fetch(`${server.url}/healthz`), { interval: 100 });
  const printed = await quietly(async () => {
    const resumed = chat.resumeStream();
    // A run that has ended has no stream to resume.
    await vi.waitFor(() => expect(chat.status).toBe('streaming'));
    server.still(false);
    await resumed;
    await vi.waitFor(() => expect(chat.status).toBe('ready'));
  });
  expect(printed).toEqual([]);
  expect(textIn(chat)).toBe(teamAnswer);
  expect(chat.messages).toHaveLength(2);
  expect(chat.lastMessage?.id).toBe(id);
  expect(pathsIn(chat)).toEqual(teamTree);
  expect(server.orders()).toEqual(['{"item":"Frankenstein"}']);
});

function textsOf(parts: UIMessage['parts'] = []): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
