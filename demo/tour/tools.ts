import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { Json, Tool, ToolContext } from '../../src/index.ts';

export interface TourSettings {
  /** The data folder: what the tools do can be looked up there. */
  readonly data: string;
  /** 1 for people who watch, 0 for no delays at all. */
  readonly pace: number;
}

const service = z.string().min(1);
const load = [
  { hours: 'Sun 03:00–05:00', percent: 4 },
  { hours: 'Tue 02:00–04:00', percent: 9 },
  { hours: 'Fri 17:00–19:00', percent: 96 },
];
const loadTable = {
  columns: [
    { name: 'hours', type: 'string' },
    { name: 'percent', type: 'number' },
  ],
  rows: load,
};

/** The tools of the tour: three that read, one that may be repeated, one that must not. */
export function tourTools({ data, pace }: TourSettings): readonly Tool[] {
  const take: Take = async (milliseconds, { signal }) => {
    if (pace > 0) await setTimeout(milliseconds * pace, undefined, { signal });
  };
  return [...readers(take), reserve(data, take), notify(data, take)];
}

/** Takes as long as such a thing would, for people who watch. */
type Take = (milliseconds: number, context: ToolContext) => Promise<void>;

interface Described<Input extends z.ZodType> extends Omit<Tool, 'schema' | 'run'> {
  readonly input: Input;
  readonly run: (input: z.output<Input>, context: ToolContext) => Promise<Json>;
}

/** As `functionTool` does it; that one would bring the whole product along before anything is asked. */
function tool<Input extends z.ZodType>({ input, run, ...described }: Described<Input>): Tool {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', target: 'draft-7' });
  return {
    ...described,
    schema: z.json().parse(schema),
    run: async (given, context) => run(input.parse(given), context),
  };
}

function reserve(folder: string, take: Take): Tool {
  return tool({
    name: 'tour_reserve_window',
    description: 'Reserves a maintenance window. The same request again finds the reservation it made.',
    input: z.strictObject({ service, window: z.string() }),
    effect: 'idempotent',
    async run(wanted, context) {
      await take(600, context);
      const reservation = `W-${numberOf(context.idempotencyKey)}`;
      const place = join(folder, 'tour-reservations');
      await mkdir(place, { recursive: true, mode: 0o700 });
      await writeFile(join(place, `${reservation}.json`), `${JSON.stringify(wanted)}\n`, { mode: 0o600 });
      return { reservation, ...wanted };
    },
  });
}

function notify(folder: string, take: Take): Tool {
  return tool({
    name: 'tour_notify',
    description: 'Sends a message to people. There is no way to take it back.',
    input: z.strictObject({ people: z.array(z.string()).min(1), message: z.string().min(1) }),
    effect: 'once',
    approval: 'always',
    async run({ people, message }, context) {
      await take(500, context);
      const line = `${context.run} ${people.join(',')} ${JSON.stringify(message)}\n`;
      await appendFile(join(folder, 'tour-ledger.txt'), line, { mode: 0o600 });
      await take(500, context);
      return { sent: people.length };
    },
  });
}

function readers(take: Take): readonly Tool[] {
  return [
    tool({
      name: 'tour_read_load',
      description: 'The load of a service over the last days.',
      input: z.strictObject({ service, days: z.int().min(1).max(90) }),
      effect: 'pure',
      async run(_, context) {
        for (const [i, { hours }] of load.entries()) {
          context.say(`${i + 1} of ${load.length}: ${hours}\n`);
          await take(350, context);
        }
        context.attach({ kind: 'visualization', shape: 'table', data: loadTable });
        return load;
      },
    }),
    tool({
      name: 'tour_list_subscribers',
      description: 'The people who asked to hear of changes to a service.',
      input: z.strictObject({ service }),
      effect: 'pure',
      async run(_, context) {
        await take(500, context);
        return ['ana@shop.example', 'bo@finance.example', 'chen@support.example'];
      },
    }),
    tool({
      name: 'tour_read_calendar',
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
