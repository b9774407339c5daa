/**
 * An editor for JSON. It lives in a shadow root, because the content policy allows no style elements: there, CodeMirror
 * adopts constructed style sheets instead. `json-editor.tsx` loads it on first use.
 */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

export interface JsonViewProps {
  /** Name of the JSON, for screen readers. */
  readonly label: string;
  readonly text: string;
  /** Called with each change by a person. Without it the text is read-only. */
  readonly onChange?: (text: string) => void;
  /** Height in pixels up to which the editor grows; then it scrolls. */
  readonly maxHeight?: number;
  /** True to number lines. */
  readonly isNumbered?: boolean;
}

export function JsonView({ label, text, onChange, maxHeight = 420, isNumbered = true }: JsonViewProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const isReadOnly = onChange === undefined;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; changes of the text follow below.
  useEffect(() => {
    if (!host.current) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const parent = root.appendChild(document.createElement('div'));
    const editor = new EditorView({
      root,
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          isNumbered ? lineNumbers() : [],
          history(),
          bracketMatching(),
          indentOnInput(),
          json(),
          syntaxHighlighting(highlights),
          EditorView.lineWrapping,
          // A read-only text must be reachable by keyboard too, for scrolling.
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          theme,
          EditorView.theme({ '.cm-scroller': { maxHeight: `${maxHeight}px` } }),
          access.of(accessOf(isReadOnly, isNumbered)),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            if (!docChanged || transactions.some((one) => one.isUserEvent('set'))) return;
            change.current?.(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      parent.remove();
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text }, userEvent: 'set' });
  }, [text]);
  useEffect(() => {
    view.current?.dispatch({ effects: access.reconfigure(accessOf(isReadOnly, isNumbered)) });
  }, [isReadOnly, isNumbered]);

  return (
    <div
      ref={host}
      className="min-w-0 overflow-hidden rounded-control border border-control bg-surface focus-within:outline-2 focus-within:outline-accent data-readonly:border-line"
      data-readonly={isReadOnly || undefined}
    />
  );
}

const access = new Compartment();

function accessOf(isReadOnly: boolean, isNumbered: boolean) {
  if (isReadOnly) return EditorState.readOnly.of(true);
  // An empty text means an absent value, not an error.
  const parse = jsonParseLinter();
  return [
    linter((editor) => (editor.state.doc.toString().trim() === '' ? [] : parse(editor))),
    isNumbered ? lintGutter() : [],
  ];
}

/** Custom properties of the page reach into the shadow root, so both modes have one theme. */
const theme = EditorView.theme({
  '&': { fontSize: '12px', color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono, ui-monospace, monospace)', lineHeight: '18px', overflow: 'auto' },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--canvas)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--accent) 25%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)', outline: '1px solid var(--control)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', border: '1px solid var(--line)', color: 'var(--ink)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--failed)' },
});

const highlights = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--ink)', fontWeight: '500' },
  { tag: tags.string, color: 'var(--accent)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--pending-text)' },
  { tag: [tags.punctuation, tags.separator], color: 'var(--quiet)' },
  { tag: tags.invalid, color: 'var(--failed-text)' },
]);
