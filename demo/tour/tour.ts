import type { DefinedConfig, Tool } from '../../src/index.ts';
import { lazily } from '../lazily.ts';
import { tourFlow } from './flow.ts';
import { tourScript } from './model.ts';
import { tourTools, type TourSettings } from './tools.ts';

interface Tour {
  readonly agents: NonNullable<DefinedConfig['agents']>;
  readonly tools: readonly Tool[];
  readonly apps: NonNullable<DefinedConfig['apps']>;
}

/** A story that needs nothing but this process: an app, its agents and its tools. */
export function tour(settings: TourSettings): Tour {
  const agents = (['planner', 'analyst', 'writer'] as const).map((role) => {
    const make = async () =>
      (await import('../../src/index.ts')).scriptedGateway(tourScript(role, settings.pace));
    const gateway = { ...lazily(make), model: 'scripted' };
    const description = `The ${role} of the tour: a script.`;
    return [`tour-${role}`, { description, gateway, effect: 'pure' as const }] as const;
  });
  return {
    agents: Object.fromEntries(agents),
    tools: tourTools(settings),
    apps: {
      tour: { flow: tourFlow, description: 'a maintenance window is planned, reserved and announced' },
    },
  };
}
