import { useEffect, useState, type ReactNode } from 'react';
import type { FlatStep, FlatTree } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { promptOf, type Prompt } from '../../../src/run/prompt.ts';
import { exactLines, visible } from '../../../src/run/visible.ts';
import type { Json } from '../../../src/run/values.ts';
import { Bones, Failed } from '../shell/states.tsx';
import { useTexts } from '../texts/texts.ts';

/** What a model or an agent was sent, message by message, every character to be seen. */
export function PromptView({
  tree,
  step,
}: {
  readonly tree: FlatTree;
  readonly step: FlatStep | undefined;
}): ReactNode {
  const t = useTexts();
  const client = useVitrine();
  const [prompt, setPrompt] = useState<Prompt | 'missing' | undefined>();
  const [failed, setFailed] = useState<string>();
  const blob = step?.prompt?.blob.blob;
  useEffect(() => {
    if (step === undefined || blob === undefined) return undefined;
    let isCurrent = true;
    const steps = new Map(tree.steps.map((one) => [one.id, one]));
    const load = async (name: string): Promise<string> =>
      new TextDecoder().decode(await client.download(name));
    promptOf({ steps }, step.id, load).then(
      (found) => isCurrent && setPrompt(found ?? 'missing'),
      (thrown: unknown) => isCurrent && setFailed(thrown instanceof Error ? thrown.message : String(thrown)),
    );
    return () => {
      isCurrent = false;
    };
  }, [client, blob, step?.id]);
  if (failed !== undefined) return <Failed failure={{ code: 'unavailable', message: failed }} />;
  if (blob === undefined || prompt === 'missing') return <p className="quiet">{t.trace.noPrompt}</p>;
  if (!prompt) return <Bones />;
  return (
    <>
      {prompt.messages.map((message, i) => (
        <Sent key={i} name={roleOf(message)} value={contentOf(message)} />
      ))}
      {Object.keys((prompt.offer ?? {}) as object).length > 0 && (
        <Sent name={t.trace.offer} value={prompt.offer} />
      )}
    </>
  );
}

function Sent({ name, value }: { readonly name: string; readonly value: Json }): ReactNode {
  return (
    <section className="part" data-sent={name}>
      <h3 className="label">{visible(name)}</h3>
      <pre className="mono" tabIndex={0} aria-label={visible(name)}>
        {exactLines(value).join('\n')}
      </pre>
    </section>
  );
}

type Fields = Readonly<Record<string, Json>>;

function fieldsOf(message: Json): Fields | undefined {
  return typeof message === 'object' && message !== null && !Array.isArray(message)
    ? (message as Fields)
    : undefined;
}

function roleOf(message: Json): string {
  const role = fieldsOf(message)?.['role'];
  return typeof role === 'string' ? role : '';
}

/** Where a message is words and nothing else, the words. */
function contentOf(message: Json): Json {
  const fields = fieldsOf(message);
  if (!fields) return message;
  const { role: _, ...rest } = fields;
  const [only, ...others] = Object.values(rest);
  return others.length === 0 && typeof only === 'string' ? only : rest;
}
