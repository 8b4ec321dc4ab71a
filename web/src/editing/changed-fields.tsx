import './changed-fields.css';
import type { ReactNode } from 'react';
import type { Json } from '../../../src/run/values.ts';
import { visible } from '../../../src/run/visible.ts';
import type { Difference } from '../../../src/wire/native/versions.ts';

interface ChangedFieldsProps {
  readonly fields: readonly Difference[];
  /** What fields are called on the screen, by their paths. */
  readonly names: Readonly<Record<string, string>>;
}

/** What stood in each field that is another now, and what stands there. */
export function ChangedFields({ fields, names }: ChangedFieldsProps): ReactNode {
  if (fields.length === 0) return undefined;
  return (
    <dl className="changed-fields">
      {fields.map(({ path, before, after }) => (
        <div key={path}>
          <dt>{names[path] ?? visible(path)}</dt>
          {before !== undefined && (
            <dd className="was">
              <del>{told(before)}</del>
            </dd>
          )}
          {after !== undefined && (
            <dd className="is">
              <ins>{told(after)}</ins>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

const mostTold = 400;

function told(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return visible(text.length > mostTold ? `${text.slice(0, mostTold).toWellFormed()}…` : text);
}
