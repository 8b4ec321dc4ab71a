import { z } from 'zod';
import { functionTool, RunError, type Tool } from '../../src/index.ts';
import type { Backbone, Link } from './backbone.ts';
import type { DispatchLog } from './dispatch-log.ts';
import { engineerNear, type Engineer } from './engineers.ts';
import { sites, type Site } from './geography.ts';

const places = sites.map(({ code, name }) => `${code} ${name}`).join(', ');

export const DispatchOrder = z.strictObject({
  destination: z
    .string()
    .min(3)
    .max(80)
    .describe(`A link such as LINK-SYD-MEL-FIBRE-01, or the code of a site: ${places}.`),
  urgency: z.enum(['critical', 'high', 'medium', 'low']).default('medium'),
  reason: z.string().min(1).max(500).describe('What was measured, and why somebody must go.'),
});
export type DispatchOrder = z.infer<typeof DispatchOrder>;

/** What the console shows of a dispatch. */
export interface Dispatch {
  readonly status: 'dispatched';
  readonly dispatch_id: string;
  readonly dispatch_time: string;
  readonly engineer: Engineer;
  readonly destination: {
    readonly description: string;
    readonly latitude: number;
    readonly longitude: number;
    readonly maps_link: string;
  };
  readonly urgency: string;
  readonly sensor_ids: readonly string[];
  readonly email_subject: string;
  readonly email_body: string;
}

/** The desk that sends engineers out. The same key is the same dispatch, however often it is asked for. */
export class DispatchDesk {
  readonly #backbone: Backbone;
  readonly #seed: number;
  readonly #log: DispatchLog;

  constructor(backbone: Backbone, seed: number, log: DispatchLog) {
    this.#backbone = backbone;
    this.#seed = seed;
    this.#log = log;
  }

  get dispatches(): readonly Dispatch[] {
    return this.#log.all();
  }

  send(order: DispatchOrder, key: string): Dispatch {
    const spot = this.#spotOf(order.destination);
    const engineer = engineerNear(spot.site.code, this.#seed);
    return this.#log.keep(key, (number) => dispatchOf(order, { spot, engineer, number }));
  }

  #spotOf(destination: string): Spot {
    const { links } = this.#backbone;
    const wanted = destination.toUpperCase();
    const link = links.find(({ id }) => id === wanted);
    const site = sites.find(({ code, name }) => code === wanted || name.toUpperCase() === wanted);
    const [from, to] = [link?.from, link?.to].map((code) => sites.find((each) => each.code === code));
    if (link && from && to) return spotOnLink(link, from, to);
    if (!site)
      throw new RunError(
        'unknown',
        `There is no link and no site ${destination}; name one such as ${links[0]?.id} or SYD.`,
      );
    const { latitude, longitude, code, name } = site;
    return {
      site,
      latitude,
      longitude,
      description: `site ${name} (${code})`,
      sensors: [`SNS-${code}-01`, `SNS-${code}-02`],
    };
  }
}

interface Spot {
  readonly site: Site;
  readonly latitude: number;
  readonly longitude: number;
  readonly description: string;
  readonly sensors: readonly string[];
}

interface Assignment {
  readonly spot: Spot;
  readonly engineer: Engineer;
  readonly number: number;
}

function dispatchOf({ urgency, reason }: DispatchOrder, { spot, engineer, number }: Assignment): Dispatch {
  const { site, latitude, longitude, description: place, sensors } = spot;
  return {
    status: 'dispatched',
    dispatch_id: `DSP-${site.code}-${String(number).padStart(4, '0')}`,
    dispatch_time: new Date().toISOString(),
    engineer,
    destination: {
      description: place,
      latitude,
      longitude,
      maps_link: `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=12/${latitude}/${longitude}`,
    },
    urgency,
    sensor_ids: sensors,
    email_subject: `[${urgency.toUpperCase()}] Field dispatch to ${place}`,
    email_body: `Dear ${engineer.name},\n\nplease go to ${place} (${latitude}, ${longitude}).\n\n${reason}\n\nSensors near the spot: ${sensors.join(', ')}. Report on arrival, before touching anything.\n\nBanksia Networks, operations centre`,
  };
}

/** The spot of a fault on a link: where its sensors are densest, a third of the way. */
function spotOnLink(link: Link, from: Site, to: Site): Spot {
  const share = 0.34;
  const between = (one: number, other: number): number =>
    Math.round((one + (other - one) * share) * 10_000) / 10_000;
  const kilometre = Math.round(link.kilometres * share);
  const number = link.id.replace(/^LINK-/, '');
  return {
    site: from,
    latitude: between(from.latitude, to.latitude),
    longitude: between(from.longitude, to.longitude),
    description: `${link.id}, kilometre ${kilometre} from ${from.name} towards ${to.name}`,
    sensors: [`SNS-${number}-K${kilometre - 20}`, `SNS-${number}-K${kilometre + 20}`],
  };
}

const description = 'Sends a field engineer to a link or a site. A person must agree first.';

/** The action as a configuration can declare it: what it takes, and that it needs approval. */
export const dispatchAction = {
  name: 'dispatch_field_engineer',
  description,
  is_action: true,
  effect: 'once',
  approval: 'always',
  schema: z.toJSONSchema(DispatchOrder, { io: 'input' }),
  method: 'POST',
  path: '/actions/dispatch_field_engineer',
} as const;

export function dispatchTool(desk: DispatchDesk): Tool {
  return functionTool({
    name: dispatchAction.name,
    description,
    effect: 'once',
    input: DispatchOrder,
    run(order, context) {
      const action = desk.send(order, context.idempotencyKey);
      context.attach({ kind: 'action', name: dispatchAction.name, data: JSON.parse(JSON.stringify(action)) });
      return {
        ...action,
        finding: `${action.engineer.name} (${action.engineer.phone}) is on the way to ${action.destination.description}, dispatch ${action.dispatch_id}, urgency ${action.urgency}.`,
      };
    },
  });
}
