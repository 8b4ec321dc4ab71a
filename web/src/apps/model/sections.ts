import {
  BookOpen,
  Eye,
  History,
  LayoutGrid,
  MessageSquare,
  Shield,
  Sparkles,
  UserRound,
  Wrench,
  type LucideIcon,
} from 'lucide-react';

/** The parts that an application is edited by, in their order. */
export const sections = [
  'basics',
  'persona',
  'models',
  'guards',
  'documents',
  'skills',
  'welcome',
  'access',
  'versions',
] as const;
export type Section = (typeof sections)[number];

export const sectionIcons: Readonly<Record<Section, LucideIcon>> = {
  basics: LayoutGrid,
  persona: UserRound,
  models: Sparkles,
  guards: Shield,
  documents: BookOpen,
  skills: Wrench,
  welcome: MessageSquare,
  access: Eye,
  versions: History,
};

const byField: readonly (readonly [beginning: string, section: Section])[] = [
  ['settings.persona', 'persona'],
  ['settings.models', 'models'],
  ['guards', 'guards'],
  ['settings.retrieval', 'documents'],
  ['settings.skills', 'skills'],
  ['settings.chat.name', 'basics'],
  ['settings.chat', 'welcome'],
  ['settings.access', 'access'],
];

/** Where a field stands. */
export function sectionOf(field: string): Section {
  return byField.find(([beginning]) => field.startsWith(beginning))?.[1] ?? 'basics';
}

export function sectionNamed(name: string | undefined): Section {
  return sections.find((section) => section === name) ?? 'basics';
}
