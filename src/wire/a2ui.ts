import { z } from 'zod';

/** The messages of A2UI, as its official renderers take them. Which keys there are depends on the version. */

export interface KeyedMessage {
  readonly surfaceUpdate?: { readonly surfaceId: string; readonly components: readonly object[] };
  readonly dataModelUpdate?: {
    readonly surfaceId: string;
    readonly path?: string;
    readonly contents: readonly KeyedValue[];
  };
  readonly beginRendering?: { readonly surfaceId: string; readonly root: string };
  readonly deleteSurface?: { readonly surfaceId: string };
}

/** A value of version 0.8: text, or a map one level deep. */
export interface KeyedValue {
  readonly key: string;
  readonly valueString?: string;
  readonly valueMap?: readonly { readonly key: string; readonly valueString: string }[];
}

export interface PlainMessage {
  readonly version: 'v0.9' | 'v1.0';
  readonly createSurface?: {
    readonly surfaceId: string;
    readonly catalogId: string;
    readonly components?: readonly object[];
    readonly dataModel?: object;
  };
  readonly updateComponents?: { readonly surfaceId: string; readonly components: readonly object[] };
  readonly updateDataModel?: { readonly surfaceId: string; readonly path: string; readonly value: unknown };
  readonly deleteSurface?: { readonly surfaceId: string };
}

/** The dialect of the workflow platform: messages that name their type, and data that is merged field by field. */
export type FlatMessage =
  | {
      readonly type: 'surfaceUpdate';
      readonly surfaceId: string;
      readonly catalog: string;
      readonly components: readonly object[];
    }
  | { readonly type: 'dataModelUpdate'; readonly surfaceId: string; readonly data: FlatData }
  | { readonly type: 'beginRendering'; readonly surfaceId: string; readonly rootComponentId: string }
  | { readonly type: 'deleteSurface'; readonly surfaceId: string };

export interface FlatData {
  readonly title?: string;
  readonly steps?: readonly FlatRow[];
  readonly final_output?: string;
  /** Beyond the original: what people are asked now. */
  readonly approvals?: readonly FlatQuestion[];
}

export interface FlatRow {
  readonly id: string;
  readonly icon: string;
  readonly label: string;
  readonly detail: string;
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'interrupted' | 'resumed' | 'skipped';
  /** Beyond the original: the row it belongs to, below a skill. */
  readonly parent?: string;
}

export interface FlatQuestion {
  readonly id: string;
  readonly title: string;
  readonly message: string;
  readonly allowed_decisions: readonly string[];
}

/** The name of the one action there is on the surface of a run. */
export const decideAction = 'decide';

/** What a person did on a surface. */
export const SurfaceAction = z.object({
  name: z.string(),
  surfaceId: z.string(),
  sourceComponentId: z.string(),
  timestamp: z.string(),
  context: z.record(z.string(), z.unknown()),
});
export type SurfaceAction = z.infer<typeof SurfaceAction>;

/** What a renderer sends back: `userAction` in version 0.8, `action` beside its version in those after it; or what went wrong there. */
export const RendererMessage = z.strictObject({
  version: z.enum(['v0.9', 'v0.9.1', 'v1.0']).optional(),
  userAction: SurfaceAction.optional(),
  action: SurfaceAction.optional(),
  error: z.looseObject({ message: z.string().optional() }).optional(),
});
export type RendererMessage = z.infer<typeof RendererMessage>;
