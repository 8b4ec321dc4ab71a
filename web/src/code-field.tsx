import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, type ReactNode } from 'react';

export interface CodeFieldProps {
  readonly label: string;
  readonly describedBy?: string;
  readonly isWrong?: boolean;
  readonly written: string;
  readonly write: (text: string) => void;
  /** What it is written in, and what helps with it. It is read once. */
  readonly language: Extension;
}

/** Text in a language of its own, edited as what it is: in colour, with its brackets paired. */
export function CodeField(props: CodeFieldProps): ReactNode {
  const { label, describedBy, isWrong = false, written, write, language } = props;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const hear = useRef(write);
  hear.current = write;
  useEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    // The page allows no style that a script writes into it; a shadow takes sheets that are made as such.
    const root = current.shadowRoot ?? current.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      doc: written,
      extensions: [
        highlightSpecialChars(),
        history(),
        bracketMatching(),
        language,
        syntaxHighlighting(colours),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) hear.current(update.state.doc.toString());
        }),
        look,
      ],
    });
    const view = new EditorView({ state, root, parent: root });
    editor.current = view;
    return () => view.destroy();
  }, [label]);
  useEffect(() => {
    const { current } = editor;
    if (!current || current.state.doc.toString() === written) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: written } });
  }, [written]);
  return <div ref={place} className="code-field" data-wrong={isWrong} aria-describedby={describedBy} />;
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--completed)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--waiting)' },
  { tag: tags.comment, color: 'var(--ink-3)' },
]);

const look = EditorView.theme({
  '&': { font: '12.5px var(--mono)', color: 'var(--ink)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', maxHeight: 'var(--code-height, 320px)', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: '0' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    color: 'var(--ink)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal' },
});
