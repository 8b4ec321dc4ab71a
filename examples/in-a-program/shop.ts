// A shop that has Vitrine in it: runs that it starts by itself, and agents for its users below /agents of its own server.
import { createServer } from 'node:http';
import { openVitrine } from 'vitrine';
import { inStock, order, placeOrder } from './orders.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const vitrine = await openVitrine({
  data: process.env['SHOP_DATA'] ?? '.vitrine',
  config: { tools: [inStock, placeOrder], apps: { order: { flow: order, settings: { copies: 2 } } } },
  prefix: '/agents',
  // Who asks is what the shop knows of its users: here a header, in yours a session.
  caller(request) {
    const user = request instanceof Request ? request.headers.get('x-user') : request.headers['x-user'];
    return typeof user === 'string' ? { tenant: 'shop', who: user, role: 'member' } : undefined;
  },
});

// What the shop starts by itself it follows by itself: each tree is a snapshot that never changes.
const restock = await vitrine.start({ app: 'order', text: 'Frankenstein' });
for await (const tree of restock.follow()) {
  for (const { id, title, status, fingerprint } of tree.approvals) {
    if (status !== 'undecided') continue;
    say(`asked: ${title}`);
    await vitrine.decide(id, { decision: 'approve', fingerprint, rationale: 'restocking' });
  }
  if (tree.status === 'completed') say(`done: ${JSON.stringify(tree.answer)}`);
}

const server = createServer((request, response) => {
  if (request.url?.startsWith('/agents')) vitrine.handler(request, response);
  else response.end('the shop\n');
});
server.listen(Number(process.env['PORT'] ?? 3_000), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  say(`The shop listens on http://127.0.0.1:${port}`);
});

process.once('SIGTERM', () => {
  server.close();
  void vitrine.close().then(() => say('closed'));
});
