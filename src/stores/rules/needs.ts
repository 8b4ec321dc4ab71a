import type { DefinitionFilter, DefinitionKey } from '../../run/definition.ts';
import type { Counted, FeedPlace, RunFilter, SharedFilter, SharedKey } from '../store.ts';

export interface RunKey {
  readonly tenant: string;
  readonly key: string;
}

export interface CommandKey {
  readonly run: string;
  readonly id: string;
}

export interface BlobKey {
  readonly tenant: string;
  readonly blob: string;
}

/** Runs that could be claimed now. */
export interface Due {
  readonly flows: readonly string[];
  readonly max: number;
}

/** A line of the run's tenant; without a name, every line in which the run stands. */
export interface Stand {
  readonly run: string;
  readonly name?: string;
}

/**
 * The rows that an operation looks at and changes, named from its argument alone. What is not named its rule cannot see
 * where rows are loaded first: it fails there, loudly, rather than decide on half of what counts.
 */
export interface Needs {
  /** Whether they are there or not. */
  readonly runs?: readonly string[];
  /** Runs that may come to be, and whose they are then. */
  readonly creates?: readonly { readonly run: string; readonly tenant: string }[];
  /** The run that a tenant created with a key. */
  readonly keys?: readonly RunKey[];
  readonly commands?: readonly CommandKey[];
  /** All commands of these runs that are not used yet. */
  readonly pending?: readonly string[];
  /** Lines that a run stands in or joins. */
  readonly stands?: readonly Stand[];
  /** Lines that a run may leave: with whoever is first there then. */
  readonly leaves?: readonly Stand[];
  readonly due?: readonly Due[];
  /** A page of a journal. */
  readonly chunks?: readonly { readonly run: string; readonly after: number }[];
  /** Blobs that a run is to refer to, whether it is there or not. */
  readonly blobs?: readonly (BlobKey & { readonly run: string })[];
  /** All that these runs refer to, and who else does. */
  readonly blobsOf?: readonly string[];
  /** Whether they are there or not. */
  readonly shared?: readonly SharedKey[];
  /** The draft and all versions of these. */
  readonly definitions?: readonly DefinitionKey[];
  /** What is only read, and changed by nobody who read it. */
  readonly text?: BlobKey;
  readonly users?: BlobKey;
  readonly list?: RunFilter;
  readonly feed?: FeedPlace;
  /** A tenant, whose unfinished runs are counted. */
  readonly unfinished?: string;
  readonly count?: Counted;
  readonly questions?: boolean;
  readonly flows?: boolean;
  readonly held?: string;
  readonly sharedLike?: SharedFilter;
  readonly definitionList?: DefinitionFilter;
}

/** What several operations need together. Those that only read are not put together. */
export function together(all: readonly Needs[]): Needs {
  return {
    runs: all.flatMap(({ runs = [] }) => runs),
    creates: all.flatMap(({ creates = [] }) => creates),
    keys: all.flatMap(({ keys = [] }) => keys),
    commands: all.flatMap(({ commands = [] }) => commands),
    pending: all.flatMap(({ pending = [] }) => pending),
    stands: all.flatMap(({ stands = [] }) => stands),
    leaves: all.flatMap(({ leaves = [] }) => leaves),
    due: all.flatMap(({ due = [] }) => due),
    chunks: all.flatMap(({ chunks = [] }) => chunks),
    blobs: all.flatMap(({ blobs = [] }) => blobs),
    blobsOf: all.flatMap(({ blobsOf = [] }) => blobsOf),
    shared: all.flatMap(({ shared = [] }) => shared),
    definitions: all.flatMap(({ definitions = [] }) => definitions),
  };
}
