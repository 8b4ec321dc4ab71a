import { decideAction } from '../../wire/a2ui.ts';
import { levels } from './surface.ts';

/** What a surface is made of, before it has the form of a version. Text that is bound has a path. */
export type Part =
  | { readonly id: string; readonly is: 'Column' | 'Row'; readonly children: readonly string[] }
  | { readonly id: string; readonly is: 'List'; readonly template: string; readonly path: string }
  | { readonly id: string; readonly is: 'Card'; readonly child: string }
  | {
      readonly id: string;
      readonly is: 'Text';
      readonly path: string;
      readonly size: Size;
      readonly weight?: 1;
    }
  | { readonly id: string; readonly is: 'Button'; readonly child: string; readonly decides: Decides };

export type Size = 'h3' | 'h5' | 'body' | 'caption';

/** What a click tells: paths within the item of the button. */
export interface Decides {
  readonly name: string;
  readonly context: Readonly<Record<string, string>>;
}

/** All components of a run. They are sent once; afterwards only data is. */
export function surfaceParts(): readonly Part[] {
  const rows = ['title', 'status', 'messages', 'steps', 'approvals', 'output', 'items', 'notes'];
  return [
    { id: 'root', is: 'Column', children: rows },
    { id: 'title', is: 'Text', path: '/title', size: 'h3' },
    { id: 'status', is: 'Text', path: '/status', size: 'caption' },
    { id: 'messages', is: 'List', template: 'line', path: '/messages' },
    { id: 'steps', is: 'List', template: 'step1', path: '/steps' },
    { id: 'items', is: 'List', template: 'line', path: '/items' },
    { id: 'notes', is: 'List', template: 'line', path: '/notes' },
    { id: 'line', is: 'Text', path: 'text', size: 'caption' },
    ...Array.from({ length: levels }, (_, i) => stepParts(i + 1)).flat(),
    ...questionParts,
    { id: 'output', is: 'List', template: 'voice', path: '/output' },
    { id: 'voice', is: 'List', template: 'block', path: 'blocks' },
    { id: 'block', is: 'Text', path: 'text', size: 'body' },
  ];
}

function stepParts(level: number): readonly Part[] {
  const id = `step${level}`;
  const below = level < levels ? [`${id}-children`] : [];
  return [
    { id, is: 'Card', child: `${id}-rows` },
    {
      id: `${id}-rows`,
      is: 'Column',
      children: [`${id}-head`, `${id}-detail`, `${id}-items`, `${id}-notes`, ...below],
    },
    { id: `${id}-head`, is: 'Row', children: [`${id}-title`, `${id}-status`] },
    { id: `${id}-title`, is: 'Text', path: 'title', size: 'h5', weight: 1 },
    { id: `${id}-status`, is: 'Text', path: 'status', size: 'caption' },
    { id: `${id}-detail`, is: 'Text', path: 'detail', size: 'caption' },
    { id: `${id}-items`, is: 'List', template: 'line', path: 'items' },
    { id: `${id}-notes`, is: 'List', template: 'line', path: 'notes' },
    ...below.map((list) => ({
      id: list,
      is: 'List' as const,
      template: `step${level + 1}`,
      path: 'children',
    })),
  ];
}

/** An empty list of questions is nothing to see: no version can show something on a condition. */
const questionParts: readonly Part[] = [
  { id: 'approvals', is: 'List', template: 'approval', path: '/approvals' },
  { id: 'approval', is: 'Card', child: 'approval-rows' },
  {
    id: 'approval-rows',
    is: 'Column',
    children: ['approval-title', 'approval-about', 'approval-choices'],
  },
  { id: 'approval-title', is: 'Text', path: 'title', size: 'h5' },
  { id: 'approval-about', is: 'Text', path: 'about', size: 'body' },
  { id: 'approval-choices', is: 'List', template: 'choice', path: 'choices' },
  {
    id: 'choice',
    is: 'Button',
    child: 'choice-label',
    decides: { name: decideAction, context: { approvalId: 'id', decision: 'decision' } },
  },
  { id: 'choice-label', is: 'Text', path: 'label', size: 'body' },
];
