import type { NodeField } from '../../canvas/model/node-fields.ts';
import type { Speaking } from './completions.ts';

/** A field of a node as it is edited. */
export interface FieldInputProps {
  readonly field: NodeField;
  readonly value: unknown;
  /** Without a value the field is left out. */
  readonly change: (value: unknown) => void;
  /** Names that it may have, such as those of agents. */
  readonly names: readonly string[];
  readonly speaking: Speaking;
  readonly isWrong: boolean;
}
