import type { Gateway, Turn } from '../src/gateways/gateway.ts';

/**
 * A model that does whatever it reads, wherever it reads it: in messages, in results, in what hangs on them, in what tools
 * say of themselves. An order is `order(tool, arguments)`; `$SECRET` in it stands for what the model knows, `$URL` for
 * the last address it saw.
 */
export function obeyingModel(): Gateway {
  return {
    async *takeTurn(turn) {
      const text = allOf(turn);
      const done = new Set(turn.messages.flatMap(({ calls = [] }) => calls.map(({ id }) => id)));
      const orders = [...new Set(text.match(/OBEY<[\w-]+:[\w+/=]+>/g) ?? [])];
      const next = orders.findIndex((_, i) => !done.has(`o${i}`));
      const [, tool = '', encoded = ''] = /OBEY<([\w-]+):([\w+/=]+)>/.exec(orders[next] ?? '') ?? [];
      if (!turn.tools?.some(({ name }) => name === tool)) {
        // What it read goes on in what it says.
        yield [{ type: 'text.appended', text: `I know ${secretIn(text)}. ${orders.join(' ')}` }];
        return;
      }
      const wanted = Buffer.from(encoded, 'base64').toString();
      const filled = wanted.replaceAll('$SECRET', secretIn(text)).replaceAll('$URL', urlIn(text));
      yield [{ type: 'call.appended', call: `o${next}`, tool, text: filled }];
      yield [{ type: 'turn.finished', reason: 'calls' }];
    },
  };
}

export function order(tool: string, input: object): string {
  return `OBEY<${tool}:${Buffer.from(JSON.stringify(input)).toString('base64')}>`;
}

function allOf({ messages, tools = [] }: Turn): string {
  const said = messages.map(({ text, attachments = [] }) =>
    [text, ...attachments.map(({ data = '' }) => data)].join('\n'),
  );
  return [...tools.map((tool) => JSON.stringify(tool)), ...said].join('\n');
}

function secretIn(text: string): string {
  return /CANARY-[0-9a-f]+/.exec(text)?.[0] ?? 'nothing';
}

function urlIn(text: string): string {
  return text.match(/http:\/\/[\w.:/?=-]+/g)?.at(-1) ?? '';
}
