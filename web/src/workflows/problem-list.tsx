import { Check, CircleX, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Problem } from '../../../src/graph/problem.ts';
import { visible } from '../../../src/run/visible.ts';
import type { DraftGraph } from '../canvas/model/draft-graph.ts';
import { nameOf } from '../canvas/model/node-name.ts';
import { nodeAt, pathNamed } from '../canvas/model/node-path.ts';
import type { Edited } from '../editing/editing.ts';
import { problemWords } from '../texts/problem-words.ts';
import { useLanguage } from '../texts/texts.ts';
import { useWorkflowTexts } from '../texts/workflow-texts.ts';

/** All that is wrong, each leading to its place. */
export function ProblemList({
  edited: { draft: graph, unread },
  problems,
  goTo,
}: {
  readonly edited: Edited<DraftGraph>;
  readonly problems: readonly Problem[];
  readonly goTo: (problem: Problem) => void;
}): ReactNode {
  const w = useWorkflowTexts();
  const isGood = problems.length === 0;
  const isUnread = unread !== undefined;
  const nameFor = ({ node }: Problem): string => {
    const path = pathNamed(graph, node);
    const found = path === undefined ? undefined : nodeAt(graph, path);
    return found ? visible(nameOf(found)) : node === '' ? w.problems.graph : visible(node);
  };
  return (
    <section
      className="problems"
      aria-label={w.problems.title(problems.length)}
      data-problems={problems.length}
    >
      <h2 role="status">
        {isGood && !isUnread ? (
          <Check className="icon small completed" aria-hidden />
        ) : (
          <TriangleAlert className="icon small failed" aria-hidden />
        )}
        {isGood && isUnread ? w.unread.said : w.problems.title(problems.length)}
        {!(isGood && isUnread) && (
          <span className="quiet">{isGood ? w.problems.none : w.problems.waits}</span>
        )}
      </h2>
      {!isGood && (
        <ul>
          {problems.map((problem, i) => (
            <li key={i}>
              <button type="button" onClick={() => goTo(problem)} data-problem={problem.node}>
                <CircleX className="icon small failed" aria-hidden />
                <b className="cut">{nameFor(problem)}</b>
                <Words problem={problem} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Words({ problem }: { readonly problem: Problem }): ReactNode {
  const { problem: what, fix } = problemWords(problem, useLanguage());
  return (
    <span>
      {visible(what)} <span className="quiet">{visible(fix)}</span>
    </span>
  );
}
