import { field, text, type Json } from './json.ts';
import { stem, stems } from './words.ts';

export interface ListedFile {
  readonly path: string;
  readonly size: number;
}

/** Words of a question that never tell one document from another. */
const idle = new Set(
  (
    'summarise summary document doc docs file folder read open content tldr overview explain key point main describe text ' +
    'whole short brief full quote gist'
  )
    .split(' ')
    .map(stem),
);

/** Documents that go by several names. */
const alike = [
  'design architecture',
  'guide manual handbook tutorial',
  'changelog history releases',
  'install setup',
].map((names) => names.split(' ').map(stem));

export function filesIn(entries: readonly Json[]): ListedFile[] {
  return entries.flatMap((entry) => {
    if (field(entry, 'kind') === 'folder') return [];
    const size = field(entry, 'size');
    return [{ path: text(entry, 'path'), size: typeof size === 'number' ? size : 0 }];
  });
}

/** The stems that say which document is meant, and what about it. */
export function focusOf(question: string): string[] {
  const withoutPlaces = question.replaceAll(/(?<![\p{L}\p{N}])\.{0,2}\/[\w./-]+/gu, ' ');
  return [...new Set(stems(withoutPlaces))].filter((word) => !idle.has(word));
}

export interface Choice {
  readonly path: string;
  /** Whether its name has anything to do with the question. */
  readonly fits: boolean;
}

/** The document that fits a question best by its name. */
export function chooseFile(files: readonly ListedFile[], question: string): Choice | undefined {
  const focus = focusOf(question);
  const folders = [...question.matchAll(/\.{0,2}\/?([\w-]+)\/?(?=[\s,.!?]|$)/g)].map(([, name = '']) => name);
  const rated = files
    .map((file) => ({ file, rating: ratingOf(file, question, focus) }))
    .sort(
      (one, other) =>
        other.rating - one.rating ||
        Number(isDocument(other.file.path)) - Number(isDocument(one.file.path)) ||
        Number(isIn(folders, other.file.path)) - Number(isIn(folders, one.file.path)) ||
        depth(one.file.path) - depth(other.file.path) ||
        Number(/readme/i.test(other.file.path)) - Number(/readme/i.test(one.file.path)) ||
        other.file.size - one.file.size,
    );
  const best = rated[0];
  return best && { path: best.file.path, fits: best.rating >= 1 };
}

function ratingOf({ path }: ListedFile, question: string, focus: readonly string[]): number {
  const name = path.split('/').at(-1) ?? path;
  if (question.toLowerCase().includes(name.toLowerCase())) return 100 + depth(path) / 100;
  const words = stems(name.replace(/\.[a-z\d]+$/i, '').replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '));
  const meant = focus.flatMap((word) => alike.find((names) => names.includes(word)) ?? []);
  const called = words.filter((word) => focus.includes(word)).length;
  const named = called > 0 ? called : words.filter((word) => meant.includes(word)).length / 2;
  const above = stems(path.slice(0, -name.length)).filter((word) => focus.includes(word)).length;
  // Of two names that fit, the one that says less besides fits better.
  const share = named / Math.max(words.length, 1);
  return (named > 0 ? named * 3 + share : 0) + above + (isDocument(path) && named > 0 ? 1 : 0);
}

function isDocument(path: string): boolean {
  return (
    /\.(md|markdown|mdx|txt|rst|adoc|org|html?)$/i.test(path) || /^[A-Z]+$/.test(path.split('/').at(-1) ?? '')
  );
}

function isIn(folders: readonly string[], path: string): boolean {
  const parts = path.split('/').slice(0, -1);
  return folders.some((folder) => parts.includes(folder));
}

function depth(path: string): number {
  return path.split('/').length;
}
