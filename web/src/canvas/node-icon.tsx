import {
  BadgeCheck,
  CirclePlay,
  CircleStop,
  Code,
  FileText,
  Globe,
  Hourglass,
  LifeBuoy,
  Merge,
  Repeat,
  Rows3,
  Search,
  Share2,
  Shield,
  Sparkle,
  Split,
  UserRound,
  Users,
  Workflow,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { AgentMark } from '../steps/agent-mark.tsx';
import type { DraftNode, NodeType } from './model/draft-graph.ts';

export const nodeIcons: Readonly<Record<NodeType, LucideIcon>> = {
  start: CirclePlay,
  end: CircleStop,
  agent: Share2,
  team: Users,
  prompt: Sparkle,
  branch: Split,
  loop: Repeat,
  map: Rows3,
  review: BadgeCheck,
  human: UserRound,
  tool: Wrench,
  http: Globe,
  code: Code,
  template: FileText,
  merge: Merge,
  failsafe: LifeBuoy,
  wait: Hourglass,
  workflow: Workflow,
  retrieve: Search,
  guard: Shield,
};

/** A square: whose work it is, by the agent where there is one. */
export function NodeIcon({ node }: { readonly node: DraftNode }): ReactNode {
  const { agent } = node as { readonly agent?: unknown };
  if (node.type === 'agent' && typeof agent === 'string' && agent !== '')
    return <AgentMark agent={agent} title={agent} />;
  const Icon = nodeIcons[node.type];
  return (
    <span className="agent neutral" aria-hidden>
      <span className="square-mark">
        <Icon className="icon" />
      </span>
    </span>
  );
}
