// Everything the app is made of. `vitrine serve` and `vitrine run` find this file by its name.
import { defineConfig } from 'vitrine';
import { buyBook } from './flow.ts';
import { placeOrder, price } from './tools.ts';

export default defineConfig({
  models: {
    reviewer: { baseUrl: process.env['REVIEWER_URL'] ?? 'http://127.0.0.1:4180/v1', model: 'reviewer' },
  },
  agents: { reviewer: { description: 'Has an opinion on books.', model: 'reviewer' } },
  tools: [
    price,
    placeOrder,
    { mcp: { name: 'library', command: [process.execPath, 'library-server.ts'], trusted: true } },
  ],
  apps: { books: { flow: buyBook, description: 'finds, weighs and orders a book' } },
  limits: { seconds: 600 },
});
