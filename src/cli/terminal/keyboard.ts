import { emitKeypressEvents } from 'node:readline';

/** A key that was pressed: `text` is what it writes, if anything. */
export interface Key {
  readonly name: string;
  readonly text: string;
  readonly ctrl: boolean;
}

interface Pressed {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

export interface Keyboard {
  /** Do something that reads the keyboard itself. */
  aside<T>(work: () => T): T;
  close(): void;
}

/** Hear every key instead of whole lines, until it is closed. What is no terminal has no keys. */
export function keyboardOf(input: NodeJS.ReadStream, hear: (key: Key) => void): Keyboard {
  const press = (text: string | undefined, { name = '', ctrl = false, meta = false }: Pressed): void => {
    const isText = text !== undefined && !ctrl && !meta && !/^\p{Cc}/u.test(text);
    hear({ name, ctrl, text: isText ? text : '' });
  };
  const open = (): void => {
    if (!input.isTTY) return;
    emitKeypressEvents(input);
    input.setRawMode(true);
    input.on('keypress', press);
    input.resume();
  };
  const close = (): void => {
    if (!input.isTTY) return;
    input.off('keypress', press);
    input.setRawMode(false);
    input.pause();
  };
  open();
  return {
    close,
    aside(work) {
      close();
      try {
        return work();
      } finally {
        open();
      }
    },
  };
}
