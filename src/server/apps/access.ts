import { configurationTenant, type Definition } from '../../run/definition.ts';
import type { Access } from '../compose/named-flow.ts';

/** Who may use an app: those it names, and, of one that people made, whoever made it. */
export function accessOf(
  { tenant, by }: Pick<Definition, 'tenant' | 'by'>,
  own: Access | undefined,
): Access | undefined {
  if (!own || tenant === configurationTenant) return own;
  return { ...own, people: [...own.people, by] };
}

/** Whether somebody is among those an app is for. */
export function mayUse(
  { access }: { readonly access?: Access | undefined },
  { who }: { readonly who: string },
): boolean {
  return access === undefined || access.everyone || access.people.includes(who);
}
