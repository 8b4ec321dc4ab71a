import { Menu } from '@base-ui/react/menu';
import { ArrowUp, Check, ChevronDown, LayoutGrid, Paperclip, Pause, Play, Square, X } from 'lucide-react';
import {
  useEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import type { AppList, GivenAttachment, ListedRun } from '../../../src/client/client.ts';
import { useSource, useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { isAway } from '../server.ts';
import { useTexts } from '../texts/texts.ts';
import { useFiles, type Files } from './use-files.ts';

export type Protocol = 'asApp' | 'two-stage' | 'unified';

export interface ComposerProps {
  readonly apps: AppList | undefined;
  readonly app: string | undefined;
  readonly setApp: (app: string) => void;
  readonly protocol: Protocol;
  readonly setProtocol: (protocol: Protocol) => void;
  /** The run that works now. */
  readonly working: ListedRun | undefined;
  readonly send: (text: string, attachments: readonly GivenAttachment[]) => void;
}

const draftName = 'vitrine.draft';

/** Where one writes. While a run works it can be stopped and paused here, and what is written waits for its end. */
export function Composer(props: ComposerProps): ReactNode {
  const t = useTexts();
  const { working, send } = props;
  const away = useSource(isAway);
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useFiles();
  const [text, setText] = useState(() => sessionStorage.getItem(draftName) ?? '');
  const [isOver, setOver] = useState(false);
  useEffect(() => sessionStorage.setItem(draftName, text), [text]);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = '0';
    current.style.height = `${Math.min(200, Math.max(22, current.scrollHeight))}px`;
  }, [text]);
  const canSend = text.trim() !== '' && !files.isSending && !away;
  const submit = (): void => {
    if (!canSend) return;
    send(
      text.trim(),
      files.picked.flatMap(({ given }) => given ?? []),
    );
    setText('');
    files.clear();
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    files.add(event.dataTransfer.files);
  };
  return (
    <form
      className="composer"
      data-over={isOver}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label className="unseen" htmlFor="message">
        {t.chat.message}
      </label>
      <PickedFiles files={files} />
      <textarea
        id="message"
        ref={field}
        rows={1}
        value={text}
        placeholder={isOver ? t.chat.drop : working ? t.chat.placeholderBusy : t.chat.placeholder}
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

function PickedFiles({ files: { picked, remove } }: { readonly files: Files }): ReactNode {
  const t = useTexts();
  if (picked.length === 0) return undefined;
  return (
    <ul className="chips picked">
      {picked.map(({ key, name, given, problem }) => (
        <li
          key={key}
          className="chip"
          data-state={problem === undefined ? (given ? 'kept' : 'sending') : 'failed'}
        >
          <Paperclip className="icon" aria-hidden />
          <span className="cut" title={problem}>
            {visible(problem ?? (given ? name : t.chat.uploading(name)))}
          </span>
          <button type="button" aria-label={t.chat.removeFile(visible(name))} onClick={() => remove(key)}>
            <X className="icon" aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
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

/** Stop is there as long as anything of the run lives. */
function Steering({
  working: { run, status },
  isHeld,
}: {
  readonly working: ListedRun;
  readonly isHeld: boolean;
}): ReactNode {
  const t = useTexts();
  const client = useVitrine();
  const [isStopping, setStopping] = useState(false);
  const stop = (): void => {
    setStopping(true);
    client.stop(run).catch(() => setStopping(false));
  };
  useEffect(() => {
    const hear = (event: globalThis.KeyboardEvent): void => {
      // A menu or dialog that is open is what Escape closes.
      if (
        event.key === 'Escape' &&
        !event.defaultPrevented &&
        !document.querySelector('.dialog, .menu, .rejecting')
      )
        stop();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, [run]);
  const isPaused = status === 'paused';
  return (
    <>
      <button
        type="button"
        className="button small"
        aria-label={isPaused ? t.chat.resume : t.chat.pause}
        disabled={isHeld}
        onClick={() => void (isPaused ? client.resume(run) : client.pause(run)).catch(() => undefined)}
      >
        {isPaused ? (
          <Play className="icon small" aria-hidden />
        ) : (
          <Pause className="icon small" aria-hidden />
        )}
        <span className="word">{isPaused ? t.chat.resume : t.chat.pause}</span>
      </button>
      <button
        type="button"
        className="button small primary"
        disabled={isHeld || isStopping}
        onClick={stop}
        data-stop
      >
        <Square className="icon small" aria-hidden fill="currentColor" />
        {isStopping ? t.chat.stopping : t.chat.stop}
        <kbd>Esc</kbd>
      </button>
    </>
  );
}

/** Whom one talks to, and how it uses tools where that can be said. */
function Choosing({ apps, app, setApp, protocol, setProtocol }: ComposerProps): ReactNode {
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
          choices={names.map(({ name, description = '' }) => ({
            value: name,
            name: visible(name),
            about: visible(description),
          }))}
        />
      )}
      {chosen?.flow === 'converse' && (
        <Picker
          label={t.chat.protocol}
          value={protocol}
          choose={(value) => setProtocol(value as Protocol)}
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
                <Menu.RadioItem key={one.value} className="item" value={one.value}>
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
