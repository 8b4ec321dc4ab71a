import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { stageKind } from '../../run/own-kinds.ts';
import type { AgentEvent } from '../gateway.ts';

/** What a Vitrine says of a step that AG-UI has no words for. */
const Place = z.object({
  step: z.string(),
  parent: z.string().optional(),
  kind: z.string().optional(),
  agent: z.string().optional(),
  query: z.string().optional(),
  /** What is said in it is not what the run itself says. */
  inner: z.boolean().optional(),
});

/** What is opened: its name among all that the agent tells, and what it is in. */
export interface Opening {
  readonly name: string;
  readonly title: string;
  readonly kind?: string;
  readonly agent?: string;
  readonly query?: string | undefined;
  /** The first of these that is known is what it is in. */
  readonly within: readonly (string | undefined)[];
  readonly metadata?: unknown;
}

interface Stage {
  readonly key: string;
  readonly isOwn: boolean;
  /** It is a step of a Vitrine. */
  readonly isNumbered: boolean;
  title: string;
  isOpen: boolean;
}

const most = 10_000;

/** The steps, agents and calls that an agent of AG-UI tells of. */
export class Stages {
  readonly #who: string;
  readonly #named = new Map<string, Stage>();
  /** Where the steps of a Vitrine are, by its own names for them. */
  readonly #steps = new Map<string, string>();
  #count = 0;

  constructor(who: string) {
    this.#who = who;
  }

  open(opening: Opening): readonly AgentEvent[] {
    const { name, title, kind = 'stage', agent, query, within, metadata } = opening;
    const place = Place.safeParse(metadata);
    const { step, parent, kind: own, inner, agent: whose, query: asked } = place.data ?? {};
    const known = this.#named.get(name) ?? this.#atStep(step);
    const shown = (step === undefined ? title : withoutNumber(title)).toWellFormed();
    if (known?.isOpen === true) {
      this.#named.set(name, known);
      return retitled(known, shown);
    }
    if (++this.#count > most)
      throw new RunError('too-large', `${this.#who} told of more than ${most} steps.`);
    // Names are used again once they are closed; here each step has a name of its own.
    const key = known ? `${name} (${this.#count})` : name;
    const isOwn = own !== undefined && inner !== true && kind === 'stage';
    this.#named.set(name, { key, isOwn, isNumbered: step !== undefined, title: shown, isOpen: true });
    if (step !== undefined) this.#steps.set(step, name);
    const above = this.#atStep(parent) ?? within.map((one) => this.#openAt(one)).find((one) => one);
    return [
      {
        type: 'stage.opened',
        stage: key,
        parent: above?.key,
        title: shown,
        kind: stageKind(own ?? kind),
        agent: whose ?? agent,
        query: (asked ?? query)?.toWellFormed(),
      },
    ];
  }

  /** What is said in a message of a Vitrine stands at the step that its name ends with. */
  at(message: string, owner: string | undefined): { readonly key: string } | undefined {
    const step = this.#atStep(/-(s\d+)(?:\.\d+)?(?:-reasoning)?$/.exec(message)?.[1]);
    if (step) return step.isOwn ? undefined : step;
    return owner === undefined ? undefined : this.#named.get(owner);
  }

  atStep(step: string | undefined): string | undefined {
    const stage = this.#atStep(step);
    return stage?.isOpen === true ? stage.key : undefined;
  }

  has(name: string): boolean {
    return this.#named.has(name);
  }

  key(name: string): string | undefined {
    return this.#openAt(name)?.key;
  }

  /** A step that a Vitrine ends without saying how goes on under another title. */
  close(name: string, outcome: 'completed' | 'failed', isRenamed = false): readonly AgentEvent[] {
    const stage = this.#openAt(name);
    if (!stage || (isRenamed && stage.isNumbered)) return [];
    stage.isOpen = false;
    return [{ type: 'stage.closed', stage: stage.key, outcome }];
  }

  /** Those that wait for a person: they are told again where the agent goes on. */
  closeAll(): readonly AgentEvent[] {
    return [...this.#named.keys()].toReversed().flatMap((name) => this.close(name, 'completed'));
  }

  #atStep(step: string | undefined): Stage | undefined {
    return this.#named.get(this.#steps.get(step ?? '') ?? '');
  }

  #openAt(name: string | undefined): Stage | undefined {
    const stage = this.#named.get(name ?? '');
    return stage?.isOpen === true ? stage : undefined;
  }
}

function retitled(stage: Stage, title: string): readonly AgentEvent[] {
  const { key, title: before } = stage;
  if (!title.startsWith(before) || title === before) return [];
  stage.title = title;
  return [{ type: 'stage.titled', stage: key, text: title.slice(before.length) }];
}

function withoutNumber(title: string): string {
  return title.replace(/^s\d+(?:\.\d+)? ?/, '');
}
