import { useCallback, useEffect, useState } from 'react';
import {
  RunError,
  type Client,
  type DecisionRequest,
  type Failure,
  type FlatApproval,
} from '../client/client.ts';
import type { Attachment, BlobRef, Json } from '../run/values.ts';
import { useVitrine } from './vitrine.tsx';

/** What a message carried, with all that it says. */
export interface Carried extends Pick<Attachment, 'type' | 'title' | 'url'> {
  readonly text?: string;
}

/** Something that is sent before it. */
export interface Said {
  readonly role: string;
  readonly text: string;
  readonly calls?: Json;
  readonly attachments: readonly Carried[];
}

/** All that whoever agrees agrees to: nothing of it is a reference any more. */
export interface WholeQuestion {
  readonly arguments?: Json;
  readonly exchange?: { readonly asked: string; readonly answered: string; readonly outcome?: string };
  readonly history: readonly Said[];
  readonly attachments: readonly Carried[];
}

/** One question, as somebody looks at it. */
export interface Question {
  /** All of it, once it is here: before that nothing can be agreed to. */
  readonly whole: WholeQuestion | undefined;
  /** Why it cannot be shown whole. */
  readonly missing?: Failure;
  readonly isDeciding: boolean;
  /** Why the last decision was not taken. */
  readonly refused?: Failure;
  /** Decides about exactly what is shown. */
  readonly decide: (decision: Omit<DecisionRequest, 'fingerprint'>) => Promise<boolean>;
}

export function useQuestion(approval: FlatApproval): Question {
  const client = useVitrine();
  const { id, fingerprint } = approval;
  const [whole, setWhole] = useState<{
    readonly of: string;
    readonly is?: WholeQuestion;
    readonly missing?: Failure;
  }>();
  const [deciding, setDeciding] = useState<{ readonly is: boolean; readonly refused?: Failure }>({
    is: false,
  });
  useEffect(() => {
    let isCurrent = true;
    wholeOf(client, approval).then(
      (all) => isCurrent && setWhole({ of: fingerprint, is: all }),
      (thrown: unknown) => isCurrent && setWhole({ of: fingerprint, missing: failureIn(thrown) }),
    );
    return () => {
      isCurrent = false;
    };
    // What is asked never changes under one fingerprint.
  }, [client, id, fingerprint]);
  const decide = useCallback(
    async (request: Omit<DecisionRequest, 'fingerprint'>): Promise<boolean> => {
      setDeciding({ is: true });
      const names = request.decision === 'approve' || request.decision === 'edit' ? { fingerprint } : {};
      try {
        await client.decide(id, { ...request, ...names });
        setDeciding({ is: false });
        return true;
      } catch (thrown) {
        setDeciding({ is: false, refused: failureIn(thrown) });
        return false;
      }
    },
    [client, id, fingerprint],
  );
  const current = whole?.of === fingerprint ? whole : undefined;
  return {
    whole: current?.is,
    ...(current?.missing ? { missing: current.missing } : {}),
    isDeciding: deciding.is,
    ...(deciding.refused ? { refused: deciding.refused } : {}),
    decide,
  };
}

function failureIn(thrown: unknown): Failure {
  return thrown instanceof RunError ? thrown.failure : { code: 'internal', message: String(thrown) };
}

/** Only what the server marks is a reference; whatever else looks like one is somebody's own. */
async function wholeOf(client: Client, approval: FlatApproval): Promise<WholeQuestion> {
  const { arguments: given, references = [], exchange, attachments = [], history = [] } = approval;
  const earlier = references.includes('history') ? await kept(client, history as BlobRef) : history;
  return {
    ...(given === undefined
      ? {}
      : {
          arguments: references.includes('arguments')
            ? ((await kept(client, given as BlobRef)) as Json)
            : (given as Json),
        }),
    ...(exchange
      ? {
          exchange: {
            asked: await textOf(client, exchange.asked),
            answered: await textOf(client, exchange.answered),
            ...(exchange.outcome === undefined ? {} : { outcome: exchange.outcome }),
          },
        }
      : {}),
    history: await Promise.all(
      (earlier as readonly Earlier[]).map(async ({ role, text, calls, attachments: hanging = [] }) => ({
        role,
        text,
        ...(calls === undefined ? {} : { calls }),
        attachments: await Promise.all(hanging.map((one) => carried(client, one))),
      })),
    ),
    attachments: await Promise.all(attachments.map((one) => carried(client, one))),
  };
}

interface Earlier extends Omit<Said, 'attachments'> {
  readonly attachments?: readonly Attachment[];
}

async function carried(client: Client, { type, title, url, data, blob }: Attachment): Promise<Carried> {
  const text = blob ? String(await kept(client, blob)) : data;
  return {
    type,
    ...(title === undefined ? {} : { title }),
    ...(url === undefined ? {} : { url }),
    ...(text === undefined ? {} : { text }),
  };
}

async function textOf(client: Client, said: string | BlobRef): Promise<string> {
  return typeof said === 'string' ? said : String(await kept(client, said));
}

async function kept(client: Client, { blob }: BlobRef): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await client.download(blob))) as unknown;
}
