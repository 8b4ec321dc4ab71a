import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, type ReactNode } from 'react';

interface JsonFieldProps {
  readonly label: string;
  readonly describedBy: string;
  readonly isWrong: boolean;
  readonly written: string;
  readonly write: (text: string) => void;
}

/** JSON that is edited as what it is: in colour, with its lines counted and its brackets paired. */
export function JsonField({ label, describedBy, isWrong, written, write }: JsonFieldProps): ReactNode {
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
        lineNumbers(),
        highlightSpecialChars(),
        history(),
        bracketMatching(),
        json(),
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
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--completed)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--waiting)' },
]);

const look = EditorView.theme({
  '&': { font: '12.5px var(--mono)', color: 'var(--ink)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', maxHeight: '320px', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: '0' },
  '.cm-content': { caretColor: 'var(--ink)' },
});
