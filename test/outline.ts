import { stepOf, textOf, type RunTree, type Step } from '../src/run/tree.ts';
import type { Item } from '../src/run/values.ts';

/** A run as people would sketch it: one line a step, with all it holds below it. */
export function outline(tree: RunTree, top = 0): string {
  return linesOf(tree, stepOf(tree, top), '').join('\n');
}

function linesOf(tree: RunTree, step: Step, indent: string): string[] {
  const { kind, title, status, attempt, failure } = step;
  const inside = `${indent}  `;
  const texts = (['content', 'reasoning', 'log'] as const).flatMap((channel) => {
    const text = textOf(step, channel);
    return text === '' ? [] : [`${inside}${channel} ${JSON.stringify(text)}`];
  });
  const calls = [...(step.requests?.values() ?? [])];
  return [
    `${indent}${kind} «${title}» ${status}${attempt > 1 ? `, attempt ${attempt}` : ''}${failure ? ` (${failure.code}: ${failure.message})` : ''}`,
    ...texts,
    ...calls.map(({ id, tool, pieces }) => `${inside}call ${id} ${tool} ${pieces.join('')}`),
    ...step.items.map((item, i) => `${inside}${i} ${describe(item)}`),
    ...step.notices.map(({ code, message }) => `${inside}! ${code} ${message}`),
    ...step.children.flatMap((child) => linesOf(tree, stepOf(tree, child), inside)),
  ];
}

function describe(item: Item): string {
  switch (item.kind) {
    case 'attachment': {
      const { type, title, ...rest } = item.attachment;
      return ['attachment', type, title, ...Object.values(rest).map((value) => JSON.stringify(value))]
        .filter((part) => part !== undefined)
        .join(' ');
    }
    case 'visualization':
      return `${item.shape} ${JSON.stringify(item.data)}`;
    case 'citation':
      return `citation ${item.title}`;
    case 'action':
      return `action ${item.name}`;
  }
}
