import { json } from '@codemirror/lang-json';
import { lineNumbers } from '@codemirror/view';
import type { ReactNode } from 'react';
import { CodeField, type CodeFieldProps } from '../code-field.tsx';

const language = [lineNumbers(), json()];

/** JSON that is edited as what it is, with its lines counted. */
export function JsonField(props: Omit<CodeFieldProps, 'language'>): ReactNode {
  return <CodeField {...props} language={language} />;
}
