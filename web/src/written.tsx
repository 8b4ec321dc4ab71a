import { memo, type ReactNode } from 'react';
import { defaultUrlTransform, Streamdown, type Components } from 'streamdown';
import { visible } from '../../src/run/visible.ts';
import { useTexts } from './texts/texts.ts';

/** No HTML of a text is ever read as such, no picture is fetched, and a link says where it leads. */
export const Written = memo(function Written({
  text,
  isWriting = false,
}: {
  readonly text: string;
  readonly isWriting?: boolean;
}): ReactNode {
  return (
    <Streamdown
      className="markdown"
      mode={isWriting ? 'streaming' : 'static'}
      parseIncompleteMarkdown={isWriting}
      rehypePlugins={[]}
      controls={false}
      components={components}
      urlTransform={safeUrl}
      linkSafety={{ enabled: false }}
    >
      {visible(text)}
    </Streamdown>
  );
});

/** Only addresses that a browser goes to, and never by itself. */
function safeUrl(url: string, key: string, node: Parameters<typeof defaultUrlTransform>[2]): string {
  if (key === 'src') return '';
  const safe = defaultUrlTransform(url, key, node) ?? '';
  return /^(https?:|mailto:|#|\/(?!\/))/i.test(safe) ? safe : '';
}

/** What a piece of Markdown is drawn with. */
interface Given {
  readonly children?: ReactNode;
  readonly href?: string | undefined;
  readonly alt?: string | undefined;
  readonly node?: unknown;
}

function Anchor({ href = '', children }: Given): ReactNode {
  if (href === '') return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener" title={href}>
      {children}
    </a>
  );
}

function Picture({ alt = '' }: Given): ReactNode {
  const t = useTexts();
  return <span className="quiet">[{[alt, t.data.imageNotLoaded].filter(Boolean).join(': ')}]</span>;
}

type Plain =
  | 'h3'
  | 'h4'
  | 'p'
  | 'ul'
  | 'ol'
  | 'li'
  | 'blockquote'
  | 'strong'
  | 'code'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td';

/** An element without anything that the text says of it but what stands in it. */
function plain(Tag: Plain): (given: Given) => ReactNode {
  return function PlainElement({ children }) {
    return <Tag>{children}</Tag>;
  };
}

const components: Components = {
  a: Anchor,
  img: Picture,
  h1: plain('h3'),
  h2: plain('h3'),
  h3: plain('h4'),
  h4: plain('h4'),
  h5: plain('h4'),
  h6: plain('h4'),
  p: plain('p'),
  ul: plain('ul'),
  ol: plain('ol'),
  li: plain('li'),
  strong: plain('strong'),
  blockquote: plain('blockquote'),
  inlineCode: plain('code'),
  code: plain('code'),
  hr: () => <hr />,
  pre: ({ children }: Given) => (
    <pre tabIndex={0} className="mono">
      {children}
    </pre>
  ),
  table: ({ children }: Given) => (
    <div className="scroll">
      <table>{children}</table>
    </div>
  ),
  thead: plain('thead'),
  tbody: plain('tbody'),
  tr: plain('tr'),
  th: plain('th'),
  td: plain('td'),
};
