import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { useMemo, useRef, type ReactNode } from 'react';
import { CodeField, type CodeFieldProps } from '../../code-field.tsx';
import { suggestionsFor, type Speaking } from './completions.ts';

/** An expression, or text with expressions in it: what may come next is suggested as one writes. */
export function ExpressionField({
  isExpression,
  speaking,
  ...props
}: Omit<CodeFieldProps, 'language'> & {
  readonly isExpression: boolean;
  readonly speaking: Speaking;
}): ReactNode {
  const now = useRef(speaking);
  now.current = speaking;
  const language = useMemo(
    () =>
      autocompletion({
        icons: false,
        override: [
          (context: CompletionContext): CompletionResult | null => {
            const before = context.state.sliceDoc(0, context.pos);
            const found = suggestionsFor(before, isExpression, now.current);
            if (!found || found.options.length === 0) return null;
            return { from: found.from, options: [...found.options] };
          },
        ],
      }),
    [isExpression],
  );
  return <CodeField {...props} language={language} />;
}
