import type { Argument, Read } from '../rules/rules.ts';
import type { Tables } from '../rules/tables.ts';

/** For whom something is read: a tenant, or nobody in particular. */
export type Asker = (name: Read, argument: unknown) => string;

const nobody = '';

export function askerIn(tables: Pick<Tables, 'run'>): Asker {
  const ownerOf = (run: string): string => {
    try {
      return tables.run(run)?.tenant ?? nobody;
    } catch {
      // That it is damaged is told by the reading itself.
      return nobody;
    }
  };
  return (name, argument) => {
    switch (name) {
      case 'read':
        return ownerOf((argument as Argument<'read'>).run);
      case 'get':
      case 'pending':
        return ownerOf(argument as Argument<'get'>);
      case 'find':
      case 'list':
      case 'blob':
        return (argument as { readonly tenant: string }).tenant;
      case 'held':
      case 'unfinished':
        return argument as Argument<'held'>;
      case 'shared':
        return (argument as Argument<'shared'>).tenant ?? nobody;
      case 'questions':
      case 'count':
        return nobody;
    }
  };
}
