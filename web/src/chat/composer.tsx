import { Menu } from '@base-ui/react/menu';
import { ArrowUp, Check, ChevronDown, FileText, LayoutGrid, Paperclip, X } from 'lucide-react';
import { useEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent, type ReactNode } from 'react';
import type { AppList, GivenAttachment, ListedRun } from '../../../src/client/client.ts';
import { useSource } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { isAway } from '../server.ts';
import { choice } from '../setting.ts';
import { useTexts, type Texts } from '../texts/texts.ts';
import { Steering } from './steering.tsx';
import { useDropping } from './use-dropping.ts';
import type { Files, PickedFile } from './use-files.ts';

/** How an app that converses is asked to use its tools. It stays as it was chosen, for what is asked next. */
export const protocol = choice('protocol', ['asApp', 'two-stage', 'unified']);
export type Protocol = ReturnType<typeof protocol.get>;

export interface ComposerProps {
  readonly apps: AppList | undefined;
  readonly app: string | undefined;
  readonly setApp: (app: string) => void;
  readonly protocol: Protocol;
  /** The run that works now. */
  readonly working: ListedRun | undefined;
  /** Files that go with the message, or documents of the conversation, as the app has it. */
  readonly files: Files;
  readonly send: (text: string, attachments: readonly GivenAttachment[]) => void;
}

const draftName = 'vitrine.draft';

/** Where one writes. While a run works it can be stopped and paused here, and what is written waits for its end. */
export function Composer(props: ComposerProps): ReactNode {
  const t = useTexts();
  const { working, files } = props;
  const away = useSource(isAway);
  const [text, setText] = useKeptText();
  const isOver = useDropping(files);
  const canSend = text.trim() !== '' && !files.isSending && !away;
  const submit = (): void => {
    if (!canSend) return;
    props.send(
      text.trim(),
      files.picked.flatMap(({ given }) => given ?? []),
    );
    setText('');
    files.clear();
  };
  const hint = isOver ? t.chat.drop : working ? t.chat.placeholderBusy : t.chat.placeholder;
  return (
    <form className="composer" data-over={isOver} onSubmit={prevented(submit)}>
      <PickedFiles files={files} />
      <Field text={text} setText={setText} hint={hint} submit={submit} files={files} />
      <div className="composer-row">
        <AttachButton files={files} />
        <Choosing {...props} />
        <span className="grow" />
        {working && <Steering working={working} isHeld={away} />}
        {(!working || text.trim() !== '') && (
          <button type="submit" className="button small primary" disabled={!canSend} aria-label={t.chat.send}>
            <ArrowUp className="icon small" aria-hidden />
            {t.chat.send}
          </button>
        )}
      </div>
    </form>
  );
}

/** What is written stays when the page is loaded again. */
function useKeptText(): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(draftName) ?? '');
  useEffect(() => sessionStorage.setItem(draftName, text), [text]);
  return [text, setText];
}

function prevented(does: () => void): (event: { preventDefault(): void }) => void {
  return (event) => {
    event.preventDefault();
    does();
  };
}

interface FieldProps {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly hint: string;
  readonly submit: () => void;
  readonly files: Files;
}

/** As high as what is written in it; Enter sends, and what is pasted may be a file. */
function Field({ text, setText, hint, submit, files }: FieldProps): ReactNode {
  const t = useTexts();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = '0';
    current.style.height = `${Math.min(200, Math.max(22, current.scrollHeight))}px`;
  }, [text]);
  return (
    <>
      <label className="unseen" htmlFor="message">
        {t.chat.message}
      </label>
      <textarea
        id="message"
        ref={field}
        rows={1}
        value={text}
        placeholder={hint}
        onChange={(event) => setText(event.target.value)}
        onPaste={(event: ClipboardEvent) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          files.add(event.clipboardData.files);
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
    </>
  );
}

function PickedFiles({ files: { picked, remove } }: { readonly files: Files }): ReactNode {
  const t = useTexts();
  if (picked.length === 0) return undefined;
  return (
    <ul className="chips picked" aria-live="polite">
      {picked.map((file) => (
        <li key={file.key} className="chip" data-file={file.name} data-state={file.state}>
          {file.isFixed ? (
            <FileText className="icon" aria-hidden />
          ) : (
            <Paperclip className="icon" aria-hidden />
          )}
          <span className={file.state === 'failed' ? undefined : 'cut'}>{visible(wordsOf(file, t))}</span>
          {!file.isFixed && (
            <button
              type="button"
              aria-label={t.chat.removeFile(visible(file.name))}
              onClick={() => remove(file.key)}
            >
              <X className="icon" aria-hidden />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function wordsOf({ name, state, problem = '' }: PickedFile, t: Texts): string {
  switch (state) {
    case 'kept':
      return name;
    case 'sending':
      return t.chat.uploading(name);
    case 'reading':
      return t.chat.reading(name);
    case 'ready':
      return t.chat.searched(name);
    case 'failed':
      return `${name}: ${problem}`;
  }
}

function AttachButton({ files }: { readonly files: Files }): ReactNode {
  const t = useTexts();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="button ghost small square"
        aria-label={t.chat.attach}
        onClick={() => input.current?.click()}
      >
        <Paperclip className="icon" aria-hidden />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t.chat.attach}
        onChange={(event) => {
          files.add(event.target.files ?? []);
          event.target.value = '';
        }}
      />
    </>
  );
}

/** Whom one talks to, and how it uses tools where that can be said. */
function Choosing({ apps, app, setApp, protocol: current }: ComposerProps): ReactNode {
  const t = useTexts();
  const names = apps?.apps ?? [];
  const chosen = names.find(({ name }) => name === app);
  const protocols = {
    asApp: t.chat.protocols.asApp,
    'two-stage': t.chat.protocols['two-stage'],
    unified: t.chat.protocols.unified,
  };
  return (
    <>
      {names.length > 1 && (
        <Picker
          label={t.chat.app}
          value={app ?? ''}
          choose={setApp}
          icon
          choices={names.map(({ name, title, description = '' }) => ({
            value: name,
            name: visible(title ?? name),
            about: visible(description),
          }))}
        />
      )}
      {chosen?.flow === 'converse' && (
        <Picker
          label={t.chat.protocol}
          value={current}
          choose={(value) => protocol.set(value as Protocol)}
          choices={Object.entries(protocols).map(([value, name]) => ({ value, name }))}
        />
      )}
    </>
  );
}

function Picker({
  label,
  value,
  choose,
  choices,
  icon = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly choose: (value: string) => void;
  readonly choices: readonly { readonly value: string; readonly name: string; readonly about?: string }[];
  readonly icon?: boolean;
}): ReactNode {
  const chosen = choices.find((one) => one.value === value);
  return (
    <Menu.Root>
      <Menu.Trigger className="button ghost small" aria-label={`${label}: ${chosen?.name ?? ''}`}>
        {icon && <LayoutGrid className="icon small" aria-hidden />}
        {chosen?.name ?? label}
        <ChevronDown className="icon small" aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="placed" side="top" align="start" sideOffset={6}>
          <Menu.Popup className="menu">
            <Menu.RadioGroup value={value} onValueChange={(next: string) => choose(next)}>
              {choices.map((one) => (
                <Menu.RadioItem key={one.value} className="item" value={one.value} closeOnClick>
                  <Check className="icon small" aria-hidden />
                  <span>
                    {one.name}
                    {one.about !== undefined && one.about !== '' && (
                      <span className="quiet block text-[12px]">{one.about}</span>
                    )}
                  </span>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
