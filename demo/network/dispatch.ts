import { z } from 'zod';
import { functionTool, RunError, type Tool } from '../../src/index.ts';
import { seededRandom } from '../seeded-random.ts';
import type { Backbone, Link } from './backbone.ts';
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

export interface Engineer {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
}

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
  readonly #sent = new Map<string, Dispatch>();

  constructor(backbone: Backbone, seed: number) {
    this.#backbone = backbone;
    this.#seed = seed;
  }

  get dispatches(): readonly Dispatch[] {
    return [...this.#sent.values()];
  }

  send({ destination, urgency, reason }: DispatchOrder, key: string): Dispatch {
    const before = this.#sent.get(key);
    if (before) return before;
    const spot = this.#spotOf(destination);
    const engineer = engineerNear(spot.site, this.#seed);
    const number = String(this.#sent.size + 1).padStart(4, '0');
    const dispatch: Dispatch = {
      status: 'dispatched',
      dispatch_id: `DSP-${spot.site.code}-${number}`,
      dispatch_time: new Date().toISOString(),
      engineer,
      destination: {
        description: spot.description,
        latitude: spot.latitude,
        longitude: spot.longitude,
        maps_link: `https://www.openstreetmap.org/?mlat=${spot.latitude}&mlon=${spot.longitude}#map=12/${spot.latitude}/${spot.longitude}`,
      },
      urgency,
      sensor_ids: spot.sensors,
      email_subject: `[${urgency.toUpperCase()}] Field dispatch to ${spot.description}`,
      email_body: `Dear ${engineer.name},\n\nplease go to ${spot.description} (${spot.latitude}, ${spot.longitude}).\n\n${reason}\n\nSensors near the spot: ${spot.sensors.join(', ')}. Report on arrival, before touching anything.\n\nBanksia Networks, operations centre`,
    };
    this.#sent.set(key, dispatch);
    return dispatch;
  }

  #spotOf(destination: string) {
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

/** The spot of a fault on a link: where its sensors are densest, a third of the way. */
function spotOnLink(link: Link, from: Site, to: Site) {
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

/** Whoever is on duty near a site: the same for the same seed. */
function engineerNear({ code }: Site, seed: number): Engineer {
  const random = seededRandom(seed + Buffer.from(code).reduce((sum, byte) => sum * 31 + byte, 7));
  const first =
    random.pick([
      'Aroha',
      'Ben',
      'Dina',
      'Jarrah',
      'Kim',
      'Leila',
      'Marco',
      'Niamh',
      'Ravi',
      'Tess',
    ] as const) ?? 'Kim';
  const last =
    random.pick([
      'Abbott',
      'Delaney',
      'Hassan',
      'Ito',
      'Mazur',
      'Novak',
      'Quinn',
      'Rao',
      'Sato',
      'Vella',
    ] as const) ?? 'Ito';
  return {
    name: `${first} ${last}`,
    email: `${first}.${last}@field.banksia.example`.toLowerCase(),
    phone: `0491 57${random.between(0, 9)} ${String(random.between(0, 999)).padStart(3, '0')}`,
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
