import { useCallback, useState } from 'react';
import { RunError, type GivenAttachment } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { newKey } from './queue.ts';

/** A file that somebody wants to send along. */
export interface PickedFile {
  readonly key: string;
  readonly name: string;
  /** On its way, kept to be sent along, or of a document: being read, to be searched. */
  readonly state: 'sending' | 'kept' | 'reading' | 'ready' | 'failed';
  /** Once the server keeps it. */
  readonly given?: GivenAttachment;
  /** Why it failed, in a sentence. */
  readonly problem?: string;
  /** It stays with the conversation. */
  readonly isFixed?: boolean;
}

export interface Files {
  readonly picked: readonly PickedFile[];
  readonly isSending: boolean;
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (key: string) => void;
  readonly clear: () => void;
}

/** Files are sent to the server when they are picked, and named by the message that goes with them. */
export function useFiles(): Files {
  const client = useVitrine();
  const [picked, setPicked] = useState<readonly PickedFile[]>([]);
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const key = newKey();
        const name = file.name || 'file';
        setPicked((before) => [...before, { key, name, state: 'sending' }]);
        const settle = (news: Partial<PickedFile>): void =>
          setPicked((before) => before.map((one) => (one.key === key ? { ...one, ...news } : one)));
        const type = file.type || 'application/octet-stream';
        file
          .arrayBuffer()
          .then((bytes) => client.upload({ name, type, content: new Uint8Array(bytes) }))
          .then(
            (kept) => settle({ state: 'kept', given: { file: kept.file } }),
            (thrown: unknown) =>
              settle({
                state: 'failed',
                problem: thrown instanceof RunError ? thrown.message : String(thrown),
              }),
          );
      }
    },
    [client],
  );
  const remove = useCallback(
    (key: string) => setPicked((before) => before.filter((one) => one.key !== key)),
    [],
  );
  const clear = useCallback(() => setPicked([]), []);
  const isSending = picked.some(({ state }) => state === 'sending');
  return { picked, isSending, add, remove, clear };
}
