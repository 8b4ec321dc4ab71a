// Everything the app is made of. `vitrine serve` and `vitrine run` find this file by its name.
import { defineConfig, mcpServer, openAiChatGateway } from 'vitrine';
import { buyBook } from './flow.ts';
import { placeOrder, price } from './tools.ts';

const library = mcpServer({
  name: 'library',
  command: [process.execPath, new URL('library-server.ts', import.meta.url).pathname],
});
const { tools } = await library.list(AbortSignal.timeout(10_000));

export default defineConfig({
  agents: {
    reviewer: {
      description: 'Has an opinion on books.',
      gateway: openAiChatGateway({
        baseUrl: process.env['REVIEWER_URL'] ?? 'http://127.0.0.1:4180/v1',
        model: 'reviewer',
      }),
      // It only speaks, so it may be asked again after a crash.
      effect: 'pure',
    },
  },
  tools: [price, placeOrder, ...tools],
  apps: { books: { flow: buyBook, description: 'finds, weighs and orders a book' } },
  limits: { seconds: 600 },
  close: () => library.close(),
});
