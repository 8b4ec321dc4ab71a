/** What a definition is found by. `kind` says what it defines: an app, a workflow. */
export interface DefinitionKey {
  readonly tenant: string;
  readonly kind: string;
  readonly name: string;
}

/** One version of a definition, or its draft, which is version 0. What it says is a blob of the tenant, under `hash`. */
export interface Definition extends DefinitionKey {
  readonly version: number;
  readonly state: 'draft' | 'published' | 'archived';
  /** Of the draft it is, or was made from; 0 where there was none. Moves up each time the draft is saved. */
  readonly revision: number;
  readonly hash: string;
  /** Who made it what it is, and when. */
  readonly by: string;
  readonly at: number;
}

/** What to save. It is refused unless the draft has exactly this revision; 0 where there is none. */
export interface NewDraft extends DefinitionKey {
  readonly body: string;
  readonly revision: number;
  readonly by: string;
}

export interface NewVersion extends DefinitionKey {
  readonly body: string;
  /** Of the draft that says so; without one it comes from elsewhere. */
  readonly revision?: number | undefined;
  readonly by: string;
}

export interface DefinitionMove extends DefinitionKey {
  readonly version: number;
  readonly state: 'published' | 'archived';
}

/** What to erase: all of it, or the draft alone, if it has the revision that was read. */
export interface DefinitionErasure extends DefinitionKey {
  readonly draft?: { readonly revision: number } | undefined;
}

export interface DefinitionFilter {
  /** Of all of them where none is named: for whoever owns the store alone. */
  readonly tenant?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly state?: Definition['state'] | undefined;
  /** By tenant, kind, name and version; the one to go on after. */
  readonly after?: (Pick<Definition, 'kind' | 'name' | 'version'> & { readonly tenant?: string }) | undefined;
  readonly limit?: number | undefined;
}

/** Whose definitions a configuration's are: everybody may run them, nobody may change them. No caller is called so. */
export const configurationTenant = 'the configuration';
