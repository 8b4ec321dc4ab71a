import { Shield } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import type { FlatTree } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import { useTexts } from '../texts/texts.ts';

const actions = ['redact', 'block', 'ask'] as const;

interface Finding {
  readonly category: string;
  readonly action: (typeof actions)[number];
}

/** What guards of an application found in what was asked: it stands with the question, also when its steps are folded. */
export function AskedNotes({ tree }: { readonly tree: FlatTree }): ReactNode {
  const t = useTexts();
  const findings = useMemo(() => findingsIn(tree), [tree]);
  if (findings.length === 0) return undefined;
  return (
    <p className="guard-note" data-guarded="asked">
      <Shield className="icon small" aria-hidden />
      {findings.map(({ category, action }) => t.chat.guarded[action](visible(category))).join(' ')}
    </p>
  );
}

/** What they took out of what was said. */
export function SaidNotes({ tree }: { readonly tree: FlatTree }): ReactNode {
  const messages = useMemo(
    () => [
      ...new Set(tree.notices.filter(({ code }) => code.startsWith('GUARD_')).map(({ message }) => message)),
    ],
    [tree],
  );
  if (messages.length === 0) return undefined;
  return (
    <p className="guard-note" data-guarded="said">
      <Shield className="icon small" aria-hidden />
      {visible(messages.join(' '))}
    </p>
  );
}

/** The result of the first stage, where a run has one. */
function findingsIn({ steps }: FlatTree): readonly Finding[] {
  const { result } = steps.find(({ key, parent }) => key === 'guardrails' && parent === 0) ?? {};
  const found: unknown = Reflect.get(Object(result) as object, 'findings');
  return Array.isArray(found) ? found.filter(isFinding) : [];
}

function isFinding(one: unknown): one is Finding {
  const { category, action } = Object(one) as Partial<Finding>;
  return typeof category === 'string' && actions.some((known) => known === action);
}
