// A conversation service in a process of its own. It keeps conversations in a file, and the log of what it was sent beside.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { sendJson, startServer, type Visit } from '../../demo/loopback-server.ts';
import { portFrom, runAsProcess } from '../../demo/own-process.ts';
import type { Json } from '../../src/run/values.ts';
import { pythonJson } from '../../demo/user-service/python-json.ts';
import { witness } from './witness.ts';

interface Kept {
  made: number;
  conversations: Record<string, { role: string; content: string }[]>;
}

const { NAME: name = '', REQUEST_LOG: file = '' } = process.env;
const seen = witness(file);
const place = `${file}.conversations`;
const kept: Kept = existsSync(place)
  ? (JSON.parse(readFileSync(place, 'utf8')) as Kept)
  : { made: 0, conversations: {} };
const save = (): void => writeFileSync(place, JSON.stringify(kept), { flush: true });

const server = await startServer(
  async (visit) => {
    if (await seen.route(visit)) return;
    const { method, path, response } = visit;
    const [, id, action] = /^\/conversations(?:\/([^/]+)(\/chat)?)?$/.exec(path) ?? [];
    const messages = id === undefined ? undefined : kept.conversations[id];
    if (method === 'POST' && path === '/forget') {
      kept.conversations = {};
      save();
      return sendJson(response, 200, {});
    }
    if (method === 'POST' && path === '/conversations') return create(visit);
    if (id === undefined || !messages) {
      if (action !== undefined) seen.note({ id, content: contentOf(visit), unknown: true });
      return sendJson(response, 404, { detail: 'Conversation not found' });
    }
    if (action === undefined) return sendJson(response, 200, { id, messages });
    return seen.turn((gate) => chat(visit, { id, messages, gate }));
  },
  portFrom(process.env, 0),
);
runAsProcess(name, server);

function create({ response }: Visit): void {
  kept.made += 1;
  const id = `conversation-${kept.made}`;
  kept.conversations[id] = [];
  save();
  sendJson(response, 200, { id, title: 'New Conversation', messages: [] });
}

interface Chat {
  readonly id: string;
  readonly messages: Kept['conversations'][string];
  readonly gate: Promise<void>;
}

async function chat(visit: Visit, { id, messages, gate }: Chat): Promise<void> {
  const { response } = visit;
  const content = contentOf(visit);
  seen.note({ id, content });
  await gate;
  const send = (value: Json): void => void response.write(`data: ${pythonJson(value)}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  send({ conversation_id: id });
  if (content.endsWith('breaks')) return void response.destroy();
  send({ choices: [{ delta: { content: `heard ${content}` }, index: 0, finish_reason: null }] });
  send({ choices: [{ delta: {}, index: 0, finish_reason: 'stop' }] });
  response.write('data: [DONE]\n\n');
  // As with the original, the history is written when all is said.
  messages.push({ role: 'user', content }, { role: 'assistant', content: `heard ${content}` });
  save();
  response.end();
}

function contentOf({ body }: Visit): string {
  return (JSON.parse(body) as { message: { content: string } }).message.content;
}
