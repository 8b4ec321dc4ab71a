import { BookOpen, ExternalLink } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { FlatStep, FlatTree, RunStore } from '../../../src/client/client.ts';
import { useSource, useVitrine } from '../../../src/react/react.ts';
import { visible } from '../../../src/run/visible.ts';
import { isBlobRef, type Item } from '../../../src/run/values.ts';
import { DataChip } from '../data/data-chips.tsx';
import { FileChip } from '../data/attachment.tsx';
import { Markdown } from '../markdown.tsx';
import { meaningOf } from '../steps/words.ts';
import { useTexts } from '../texts/texts.ts';
import { present } from '../../../src/run/tree.ts';

const Figure = lazy(() => import('../data/figure.tsx').then((made) => ({ default: made.Figure })));

/** The most figures that stand with an answer; the others are buttons. */
const mostFigures = 3;
const mostSources = 5;

/** What the run answers, as it is written and as it stays, and what it speaks of. */
export function Answer({ run, tree }: { readonly run: RunStore; readonly tree: FlatTree }): ReactNode {
  const isOver = tree.endedAt !== undefined;
  const writing = useMemo(() => (isOver ? undefined : writingStep(tree)), [isOver, tree]);
  if (isOver) return tree.answer === null ? undefined : <GivenAnswer tree={tree} answer={tree.answer} />;
  return writing === undefined ? undefined : <WrittenAnswer run={run} step={writing} />;
}

/** The step that writes the answer: the turn of the answer step, or a turn of the run that asks for no tools. */
function writingStep({ steps }: FlatTree): number | undefined {
  const answer = steps.findLast(({ kind, parent }) => kind === 'answer' && parent === 0);
  if (answer)
    return answer.text === undefined ? steps.findLast(({ parent }) => parent === answer.id)?.id : answer.id;
  const last = steps.findLast(({ parent }) => parent === 0);
  return last?.kind === 'turn' && last.text !== undefined && last.calls === undefined ? last.id : undefined;
}

function WrittenAnswer({ run, step: id }: { readonly run: RunStore; readonly step: number }): ReactNode {
  const step = useSource(run.step(id));
  if (step?.text === undefined) return undefined;
  return (
    <div className="answer" data-answer="writing" data-writing={step.status === 'running'}>
      <Markdown text={meaningOf(step.text)} isWriting />
    </div>
  );
}

function GivenAnswer({
  tree,
  answer,
}: {
  readonly tree: FlatTree;
  readonly answer: NonNullable<FlatTree['answer']>;
}): ReactNode {
  const client = useVitrine();
  const [text, setText] = useState(isBlobRef(answer) ? (answer.preview ?? '') : answer);
  useEffect(() => {
    if (!isBlobRef(answer)) return setText(answer);
    client.download(answer.blob).then(
      (bytes) => setText(JSON.parse(new TextDecoder().decode(bytes)) as string),
      () => undefined,
    );
    return undefined;
  }, [client, answer]);
  return (
    <div className="answer" data-answer="given">
      <Markdown text={meaningOf(text)} />
      <Found tree={tree} />
    </div>
  );
}

interface FoundItem {
  readonly item: Item;
  readonly from: FlatStep | undefined;
}

/** Charts, tables, files and sources, once each, with the answer that speaks of them. */
function Found({ tree }: { readonly tree: FlatTree }): ReactNode {
  const t = useTexts();
  const [isAll, setAll] = useState(false);
  const found = useMemo(() => foundIn(tree), [tree]);
  const shapes = found.flatMap(({ item, from }) =>
    item.kind === 'visualization' ? [{ item, title: from?.title ?? '' }] : [],
  );
  const sources = found.flatMap(({ item }) => sourceOf(item) ?? []);
  const files = found.flatMap(({ item }) =>
    item.kind === 'attachment' && !sourceOf(item) ? [item.attachment] : [],
  );
  const order = { chart: 0, graph: 1, table: 2, documents: 3 } as const;
  const sorted = shapes.toSorted((one, other) => order[one.item.shape] - order[other.item.shape]);
  const figures = sorted.filter(({ item }) => item.shape !== 'documents').slice(0, mostFigures);
  const rest = sorted.filter((one) => !figures.includes(one));
  return (
    // All of it at once: what comes first would be pushed away by what comes above it.
    <Suspense fallback={undefined}>
      {figures.map(({ item, title }, i) => (
        <Figure key={i} item={item} title={title} />
      ))}
      {rest.length + files.length > 0 && (
        <div className="chips found">
          {rest.map(({ item, title }, i) => (
            <DataChip key={i} item={item} title={title} />
          ))}
          {files.map((file, i) => (
            <FileChip key={i} file={file} />
          ))}
        </div>
      )}
      {sources.length > 0 && (
        <ol className="sources" aria-label={t.chat.sources}>
          {sources.slice(0, isAll ? sources.length : mostSources).map((source, i) => (
            <Source key={i} number={i + 1} source={source} />
          ))}
          {!isAll && sources.length > mostSources && (
            <li>
              <button type="button" className="linkish" onClick={() => setAll(true)}>
                {t.data.more(sources.length - mostSources)}
              </button>
            </li>
          )}
        </ol>
      )}
    </Suspense>
  );
}

function foundIn(tree: FlatTree): readonly FoundItem[] {
  const all: FoundItem[] = [
    ...(tree.items ?? []).map((item) => ({ item, from: undefined })),
    ...tree.steps.flatMap((step) => (step.items ?? []).map((item) => ({ item, from: step }))),
  ];
  const seen = new Set<string>();
  return all.filter(({ item }) => {
    const name =
      item.kind === 'attachment' ? `${item.attachment.title} ${item.attachment.type}` : JSON.stringify(item);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

type Citation = Extract<Item, { readonly kind: 'citation' }>;

/** Where something stands that an answer says: a citation, or a passage that was sent with the address it is from. */
function sourceOf(item: Item): Citation | undefined {
  if (item.kind === 'citation') return item;
  if (item.kind !== 'attachment') return undefined;
  const { title = '', type, data, referenceUrl } = item.attachment;
  if (referenceUrl === undefined || !type.startsWith('text/')) return undefined;
  return { kind: 'citation', title: title || referenceUrl, url: referenceUrl, ...present({ quote: data }) };
}

function Source({
  number,
  source: { title, url = '', quote },
}: {
  readonly number: number;
  readonly source: Citation;
}): ReactNode {
  const isWeb = /^https?:/i.test(url);
  return (
    <li>
      <span className="cite">{number}</span>
      {isWeb ? (
        <ExternalLink className="icon small quiet" aria-hidden />
      ) : (
        <BookOpen className="icon small quiet" aria-hidden />
      )}
      {isWeb ? (
        <a href={url} target="_blank" rel="noreferrer noopener">
          {visible(title)}
        </a>
      ) : (
        <span>{visible(title)}</span>
      )}
      <span className="quiet cut">{visible(quote ?? (isWeb ? '' : url))}</span>
    </li>
  );
}
