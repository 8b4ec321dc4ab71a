import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { engineerNear } from '../network/engineers.ts';
import { sites } from '../network/geography.ts';
import { now } from '../network/telemetry.ts';

const names = sites.map(({ code, name }) => `${code} ${name}`).join(', ');
const weeks = ['this', 'next', 'after next'] as const;

const Asked = z.strictObject({
  site: z.enum(sites.map(({ code }) => code)).describe(`The code of a site: ${names}.`),
  week: z.enum(weeks).default('this').describe('Which week; a shift begins on Monday at 07:00.'),
});

const Shift = z.object({
  finding: z.string(),
  site: z.string(),
  name: z.string(),
  phone: z.string(),
  email: z.string(),
  from: z.string(),
  until: z.string(),
});

/** The on-call roster as a server of the Model Context Protocol. Who is on call now is whom a dispatch sends. */
export function roster(seed: number): McpServer {
  const server = new McpServer({ name: 'roster', version: '1' });
  server.registerTool(
    'who_is_on_call',
    {
      description: 'Who is on call for a site, and until when.',
      inputSchema: Asked,
      outputSchema: Shift,
      annotations: { readOnlyHint: true },
    },
    (asked) => {
      const shift = shiftOf(asked, seed);
      return { content: [{ type: 'text', text: shift.finding }], structuredContent: shift };
    },
  );
  return server;
}

function shiftOf({ site, week }: z.infer<typeof Asked>, seed: number): z.infer<typeof Shift> {
  const place = weeks.indexOf(week);
  const engineer = engineerNear(site, seed, place);
  const name = sites.find(({ code }) => code === site)?.name ?? site;
  const [from, until] = [mondayOf(place), mondayOf(place + 1)];
  const when = place === 0 ? `until ${until}` : `from ${from} until ${until}`;
  const { name: who, phone } = engineer;
  return {
    ...engineer,
    finding: `${who} (${phone}) is on call for ${name} ${when}, 07:00.`,
    site,
    from,
    until,
  };
}

/** It is a Monday morning, and the shift has just begun. */
function mondayOf(week: number): string {
  return new Date(now + week * 7 * 86_400_000).toLocaleDateString('en-AU', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'Australia/Sydney',
  });
}
