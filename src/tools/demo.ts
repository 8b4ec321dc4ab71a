import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { functionTool } from './function.ts';
import type { Tool, ToolContext } from './tool.ts';

export interface DemoSettings {
  /** The data folder: what the tools do can be looked up there. */
  readonly folder: string;
  /** 1 for people who watch, 0 for no delays at all. */
  readonly pace: number;
}

const service = z.string().min(1);
const load = [
  { hours: 'Sun 03:00–05:00', percent: 4 },
  { hours: 'Tue 02:00–04:00', percent: 9 },
  { hours: 'Fri 17:00–19:00', percent: 96 },
];

/** The tools of the built-in demo: three that read, one that may be repeated, one that must not. */
export function demoTools({ folder, pace }: DemoSettings): readonly Tool[] {
  const take: Take = async (milliseconds, { signal }) => {
    if (pace > 0) await setTimeout(milliseconds * pace, undefined, { signal });
  };
  return [...readers(take), reserve(folder, take), notify(folder, take)];
}

/** Takes as long as such a thing would, for people who watch. */
type Take = (milliseconds: number, context: ToolContext) => Promise<void>;

function reserve(folder: string, take: Take): Tool {
  return functionTool({
    name: 'demo_reserve_window',
    description: 'Reserves a maintenance window. The same request again finds the reservation it made.',
    input: z.strictObject({ service, window: z.string() }),
    effect: 'idempotent',
    async run(wanted, context) {
      await take(600, context);
      const reservation = `W-${numberOf(context.idempotencyKey)}`;
      const place = join(folder, 'demo-reservations');
      await mkdir(place, { recursive: true, mode: 0o700 });
      await writeFile(join(place, `${reservation}.json`), `${JSON.stringify(wanted)}\n`, { mode: 0o600 });
      return { reservation, ...wanted };
    },
  });
}

function notify(folder: string, take: Take): Tool {
  return functionTool({
    name: 'demo_notify',
    description: 'Sends a message to people. There is no way to take it back.',
    input: z.strictObject({ people: z.array(z.string()).min(1), message: z.string().min(1) }),
    effect: 'once',
    approval: 'always',
    async run({ people, message }, context) {
      await take(500, context);
      const line = `${context.run} ${people.join(',')} ${JSON.stringify(message)}\n`;
      await appendFile(join(folder, 'demo-ledger.txt'), line, { mode: 0o600 });
      await take(500, context);
      return { sent: people.length };
    },
  });
}

function readers(take: Take): readonly Tool[] {
  return [
    functionTool({
      name: 'demo_read_load',
      description: 'The load of a service over the last days.',
      input: z.strictObject({ service, days: z.int().min(1).max(90) }),
      effect: 'pure',
      async run(_, context) {
        for (const [i, { hours }] of load.entries()) {
          context.say(`${i + 1} of ${load.length}: ${hours}\n`);
          await take(350, context);
        }
        context.attach({ kind: 'visualization', shape: 'table', data: load });
        return load;
      },
    }),
    functionTool({
      name: 'demo_list_subscribers',
      description: 'The people who asked to hear of changes to a service.',
      input: z.strictObject({ service }),
      effect: 'pure',
      async run(_, context) {
        await take(500, context);
        return ['ana@shop.example', 'bo@finance.example', 'chen@support.example'];
      },
    }),
    functionTool({
      name: 'demo_read_calendar',
      description: 'What a team has planned for the week.',
      input: z.strictObject({ team: z.string().min(1) }),
      effect: 'pure',
      async run({ team }, context) {
        await take(450, context);
        return team === 'finance' ? [{ when: 'Mon 08:00', what: 'closing of the month' }] : [];
      },
    }),
  ];
}

/** Four digits that are the same for every attempt of one call. */
function numberOf(key: string): string {
  let sum = 0;
  for (const letter of key) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 10_000;
  return String(sum).padStart(4, '0');
}
