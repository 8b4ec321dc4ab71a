import { Dialog } from '@base-ui/react/dialog';
import { Download, ExternalLink, Paperclip, X } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import type { Attachment, Item } from '../../../src/run/values.ts';
import { useTexts } from '../texts/texts.ts';
import { save } from './save.ts';

/** The files that hang on a step. */
export function AttachmentList({ items }: { readonly items: readonly Item[] }): ReactNode {
  const files = items.flatMap((item) => (item.kind === 'attachment' ? [item.attachment] : []));
  const actions = items.flatMap((item) => (item.kind === 'action' ? [item] : []));
  const t = useTexts();
  if (files.length + actions.length === 0) return undefined;
  return (
    <ul className="chips files">
      {files.map((file, i) => (
        <li key={i}>
          <FileChip file={file} />
        </li>
      ))}
      {actions.map(({ name, data }, i) => (
        <li key={`action ${i}`} className="part grow">
          <h4 className="label">
            {t.data.suggested}: {visible(name)}
          </h4>
          <pre className="mono" tabIndex={0} aria-label={visible(name)}>
            {visible(JSON.stringify(data, null, 2) ?? '')}
          </pre>
        </li>
      ))}
    </ul>
  );
}

/** A file that opens and can be taken along. What is in it is shown as text or as a picture, and never run. */
export function FileChip({ file }: { readonly file: Attachment }): ReactNode {
  const t = useTexts();
  const name = visible(file.title ?? file.url ?? file.type) || t.data.file;
  if (file.data === undefined && file.blob === undefined && /^https?:/i.test(file.url ?? ''))
    return (
      <a className="chip" href={file.url} target="_blank" rel="noreferrer noopener">
        <ExternalLink className="icon" aria-hidden />
        <span className="cut">{name}</span>
      </a>
    );
  return (
    <Dialog.Root>
      <Dialog.Trigger className="chip">
        <Paperclip className="icon" aria-hidden />
        <span className="cut">{name}</span>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Opened file={file} name={name} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Opened({ file, name }: { readonly file: Attachment; readonly name: string }): ReactNode {
  const t = useTexts();
  const client = useVitrine();
  const [content, setContent] = useState<Uint8Array<ArrayBuffer>>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    contentOf(client, file).then(setContent, (thrown: unknown) => setProblem(String(thrown)));
  }, [client, file]);
  return (
    <>
      <header className="dialog-head">
        <Dialog.Title className="cut">{name}</Dialog.Title>
        <span className="grow" />
        <button
          type="button"
          className="button ghost small"
          disabled={!content}
          onClick={() => content && save(name, 'application/octet-stream', content)}
        >
          <Download className="icon small" aria-hidden />
          {t.data.download}
        </button>
        <Dialog.Close className="button ghost small square" aria-label={t.data.close}>
          <X className="icon" aria-hidden />
        </Dialog.Close>
      </header>
      <div className="dialog-body">
        {problem !== '' && <p className="problem">{visible(problem)}</p>}
        {content && <Preview type={file.type} content={content} name={name} />}
      </div>
    </>
  );
}

function Preview({
  type,
  content,
  name,
}: {
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly name: string;
}): ReactNode {
  const t = useTexts();
  const [address, setAddress] = useState('');
  const isPicture = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/.test(type);
  useEffect(() => {
    if (!isPicture) return undefined;
    // As a picture an SVG runs no scripts and fetches nothing.
    const made = URL.createObjectURL(new Blob([content], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [isPicture, content, type]);
  if (isPicture)
    return address === '' ? undefined : <img src={address} alt={t.data.image(name)} className="picture" />;
  const text = new TextDecoder().decode(content.subarray(0, 200_000));
  return (
    <pre className="mono scroll" tabIndex={0}>
      {visible(text)}
    </pre>
  );
}

/** The bytes, wherever they are: beside the journal, or written into it as text or as base64. */
async function contentOf(
  client: Client,
  { type, data = '', blob }: Attachment,
): Promise<Uint8Array<ArrayBuffer>> {
  const isText = /^text\/|json|xml|javascript/.test(type);
  if (!blob) return bytesOf(data, isText);
  const kept = new TextDecoder().decode(await client.download(blob.blob));
  const value: unknown = JSON.parse(kept);
  return bytesOf(typeof value === 'string' ? value : kept, isText);
}

function bytesOf(data: string, isText: boolean): Uint8Array<ArrayBuffer> {
  const looksEncoded = /^[A-Za-z0-9+/\s]+=*\s*$/.test(data) && data.length % 4 === 0;
  if (isText && !(looksEncoded && /^(PHN2Zy|PD94bW)/.test(data))) return new TextEncoder().encode(data);
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    return new TextEncoder().encode(data);
  }
}
