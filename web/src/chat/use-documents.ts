import { useCallback, useEffect, useMemo, useState } from 'react';
import { RunError, type BroughtDocument, type Client } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { newKey } from './queue.ts';
import type { Files, PickedFile } from './use-files.ts';

/** How often it is asked how documents stand, while one is being read. Milliseconds. */
const pace = 400;

/** Documents of a conversation, and the conversation that they are in: one that has not begun gets its name with them. */
export interface Documents extends Files {
  readonly conversation: string | undefined;
}

/** Documents that people bring for an app that searches them: they stay with the conversation, and are read beside it. */
export function useDocuments(given: string | undefined, isOn: boolean): Documents {
  const client = useVitrine();
  const [made] = useState(newKey);
  const conversation = given ?? made;
  const [sent, setSent] = useState<readonly PickedFile[]>([]);
  const [documents, look] = useStanding(client, conversation, isOn && given !== undefined);
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const key = newKey();
        const name = file.name || 'file';
        setSent((before) => [...before, { key, name, state: 'sending' }]);
        const gone = (): void => setSent((before) => before.filter((one) => one.key !== key));
        bring(client, conversation, file)
          .then(() => look())
          .then(gone)
          .catch((thrown: unknown) => {
            const problem = thrown instanceof RunError ? thrown.message : String(thrown);
            setSent((before) =>
              before.map((one) => (one.key === key ? { key, name, state: 'failed', problem } : one)),
            );
          });
      }
    },
    [client, conversation, look],
  );
  const remove = useCallback(
    (key: string) => setSent((before) => before.filter((one) => one.key !== key)),
    [],
  );
  const picked = useMemo(() => [...documents.map(pickedOf), ...sent], [documents, sent]);
  return {
    picked,
    conversation: documents.length > 0 ? conversation : given,
    isSending: picked.some(({ state }) => state === 'sending' || state === 'reading'),
    add,
    remove,
    // They are the conversation's from now on.
    clear: () => setSent([]),
  };
}

async function bring(client: Client, conversation: string, file: File): Promise<BroughtDocument> {
  const content = new Uint8Array(await file.arrayBuffer());
  const type = file.type || 'application/octet-stream';
  return client.bring(conversation, { name: file.name || 'file', type, content });
}

function pickedOf({ file: key, name, state, why }: BroughtDocument): PickedFile {
  if (state === 'failed') return { key, name, state, problem: why ?? '', isFixed: true };
  return { key, name, state: state === 'ready' ? 'ready' : 'reading', isFixed: true };
}

/** How the documents of a conversation stand, asked again until all of them have been read. */
function useStanding(
  client: Client,
  conversation: string,
  isThere: boolean,
): readonly [readonly BroughtDocument[], () => Promise<void>] {
  const [documents, setDocuments] = useState<readonly BroughtDocument[]>([]);
  const look = useCallback(async () => {
    setDocuments(await client.documents(conversation));
  }, [client, conversation]);
  const isReading = documents.some(({ state }) => state === 'pending' || state === 'processing');
  useEffect(() => {
    if (isThere) look().catch(() => undefined);
  }, [isThere, look]);
  useEffect(() => {
    if (!isReading) return undefined;
    const again = setInterval(() => void look().catch(() => undefined), pace);
    return () => clearInterval(again);
  }, [isReading, look]);
  return [documents, look];
}
