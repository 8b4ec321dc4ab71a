import type { Flow, RunInput, Scope } from '../../engine/scope.ts';
import type { AppGuards } from '../../guards/guard-settings.ts';
import type { Deciders } from '../../run/deciders.ts';
import type { Json } from '../../run/values.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Uploads } from '../runs/uploads.ts';

/** What flows that apps name stand on: agents and tools are looked up by name, when a run needs them. */
export interface FlowMeans {
  /** The names of all agents there are. */
  readonly agents: readonly string[];
  /** Undefined before they are opened. */
  readonly tools: ToolsNow | undefined;
  /** Other apps, for flows that run them; absent until they are known. */
  readonly apps?: AppsNow | undefined;
  /** What people brought into the conversation of a run; absent until it is known. */
  readonly uploads?: Pick<Uploads, 'search'> | undefined;
  /** What a workflow does, within a step of a run; absent until it is known what it stands on. */
  readonly workflow?:
    | ((scope: Scope, name: string, input: Pick<RunInput, 'text' | 'attachments'>) => Promise<string>)
    | undefined;
  /** What the app lets pass whose run it is. */
  readonly guards?: AppGuards | undefined;
}

/** Apps as they are now. */
export interface AppsNow {
  /** What an app is, to whoever started a run. Who may not use it hears that it is not there. */
  read(caller: Scope['caller'], name: string): Promise<ReadApp>;
  /** What it does. */
  by(flow: string, settings: object, guards?: AppGuards): Pick<Flow, 'run'>;
}

/** What an app is: the flow it names, its settings, and what it lets pass. */
export type ReadApp = {
  readonly flow: string;
  readonly settings: { readonly [name: string]: Json };
  readonly guards?: AppGuards | undefined;
  /** Who decides what it asks, at least. */
  readonly approvals?: Deciders | undefined;
};

/** Tools as they come and go. */
export interface ToolsNow {
  /** Those there are now. */
  readonly all: readonly Tool[];
  readonly servers: {
    /** Resolves when each server of tools has answered, or failed to, once. */
    readonly tried: Promise<void>;
    /** Whether a tool of this name may come. */
    owns(tool: string): boolean;
  };
}

/** A flow that apps name. Its settings are data: each run goes by those it began with. */
export interface NamedFlow {
  readonly version: string;
  /** The settings of an app, whole, with what they leave out. Fails, with the field and the fix, where they do not fit. */
  read(app: string, settings: object, means: FlowMeans): object;
  /** What an app still needs before people can use it; nothing, unless said. */
  missing?(settings: object): readonly string[];
  /** Who may use an app; everybody, unless said. */
  access?(settings: object): Access;
  /** What people see when they begin; nothing, unless said. */
  greeting?(settings: object): Greeting;
  /** The other apps and workflows that it runs. */
  uses?(settings: object): readonly Used[];
  /** One run's own: what it does by these settings. */
  by(settings: object, means: FlowMeans): Pick<Flow, 'check' | 'run'>;
}

/** Something that an app runs beside agents and tools. */
export interface Used {
  readonly kind: 'app' | 'workflow';
  readonly name: string;
}

/** What people see of an app before they say anything, and whether they may bring documents. */
export interface Greeting {
  readonly title?: string | undefined;
  readonly welcome?: string | undefined;
  readonly disclaimer?: string | undefined;
  readonly uploads?: boolean | undefined;
}

/** Who may use an app. */
export interface Access {
  readonly everyone: boolean;
  /** By the names they come in with. */
  readonly people: readonly string[];
}
