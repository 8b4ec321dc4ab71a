import type { ConfigInput } from '../../catalog/config.ts';
import type { Flow } from '../../engine/scope.ts';

type AppInput = NonNullable<ConfigInput['apps']>[string];

/** What may stand in `vitrine.config.ts`, its flows included. */
export interface DefinedConfig extends Omit<ConfigInput, 'apps'> {
  readonly apps?: Readonly<Record<string, Omit<AppInput, 'flow'> & { readonly flow: string | Flow }>>;
}

/** Helps an editor to know what may stand in `vitrine.config.ts`. */
export function defineConfig(config: DefinedConfig): DefinedConfig {
  return config;
}
