import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { sites } from '../network/geography.ts';
import { seededRandom } from '../seeded-random.ts';

export interface Spare {
  readonly part: string;
  readonly model: string;
  readonly site: string;
  readonly count: number;
}

const models = {
  optics: ['100G LR4', '400G FR4', '400G ZR+', '800G DR8'],
  'line cards': ['Cisco A99-32X100GE', 'Juniper MX10K-LC9600', 'Nokia XCM-14s'],
  'power supplies': ['3 kW AC', '2.5 kW DC'],
  'fan trays': ['ASR 9922 fan tray', 'MX10008 fan tray'],
  'splice kits': ['Fujikura 90S kit', 'closure, 144 fibres'],
  antennas: ['1.2 m, 11 GHz', '0.6 m, 18 GHz'],
} as const;
const parts = Object.keys(models) as (keyof typeof models)[];

/** The stores of all sites: capitals have more, and nobody has everything. The same for the same seed. */
export function generatedSpares(seed: number): Spare[] {
  const random = seededRandom(seed + 57);
  return sites.flatMap(({ code, isCapital }) =>
    parts.flatMap((part) =>
      models[part].flatMap((model) => {
        const count = random.next() < (isCapital ? 0.7 : 0.3) ? random.between(1, isCapital ? 12 : 3) : 0;
        return count === 0 ? [] : [{ part, model, site: code, count }];
      }),
    ),
  );
}

const names = sites.map(({ code, name }) => `${code} ${name}`).join(', ');
const Asked = z.strictObject({
  part: z.enum(parts).optional().describe('The kind of part; all unless said.'),
  site: z
    .enum(sites.map(({ code }) => code))
    .optional()
    .describe(`The code of a site, all unless said: ${names}.`),
});
const Found = z.object({
  finding: z.string(),
  spares: z.array(z.object({ part: z.string(), model: z.string(), site: z.string(), count: z.number() })),
});

/** The stores as a server of the Model Context Protocol. */
export function sparesServer(seed: number): McpServer {
  const all = generatedSpares(seed);
  const server = new McpServer({ name: 'spares', version: '1' });
  server.registerTool(
    'find_spares',
    {
      description: 'Spare parts in the stores, by kind and by site.',
      inputSchema: Asked,
      outputSchema: Found,
      annotations: { readOnlyHint: true },
    },
    (asked) => {
      const found = findingOf(all, asked);
      return { content: [{ type: 'text', text: found.finding }], structuredContent: found };
    },
  );
  return server;
}

function findingOf(all: readonly Spare[], { part, site }: z.infer<typeof Asked>): z.infer<typeof Found> {
  const spares = all.filter(
    (spare) => (part === undefined || spare.part === part) && (site === undefined || spare.site === site),
  );
  const what = part ?? 'spare parts';
  const place = sites.find(({ code }) => code === site)?.name;
  const where = place === undefined ? 'in all stores' : `in ${place}`;
  const total = spares.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return { finding: `There are no ${what} ${where}.`, spares };
  const kinds = [...Map.groupBy(spares, place === undefined ? ({ site: at }) => at : ({ model }) => model)];
  const listed = kinds.map(([name, each]) => `${each.reduce((sum, { count }) => sum + count, 0)} × ${name}`);
  return { finding: `There are ${total} ${what} ${where}: ${listed.join(', ')}.`, spares };
}
