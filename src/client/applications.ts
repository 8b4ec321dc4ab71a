import * as native from '../wire/native/apps.ts';
import type { AppBody } from '../wire/native/app-body.ts';
import type { AnswerOf, BodyOf } from '../wire/native/endpoint.ts';
import type { Difference } from '../wire/native/versions.ts';
import { ask, askFor, type ServerAddress } from './ask.ts';

/** What can be done with applications. What a draft lacks, or what does not fit, is in `failure.problems` of what is thrown. */
export interface ApplicationsClient {
  /** All apps, usable or not. */
  list(): Promise<AnswerOf<typeof native.listAppDefinitions>['apps']>;
  /** What applications can be made of. */
  parts(): Promise<native.AppParts>;
  create(title: string): Promise<native.AppDraft>;
  /** As it is worked on: its draft, or what is published. */
  draft(name: string): Promise<native.AppDraft>;
  /** With a revision, only over that one; 0 where there is none. */
  save(name: string, app: AppBody, revision?: number): Promise<native.AppDraft>;
  publish(name: string, revision?: number): Promise<native.AppDraft>;
  /** Nobody can begin anything with it. */
  archive(name: string): Promise<native.AppDraft>;
  restore(name: string): Promise<native.AppDraft>;
  /** The draft and all versions, with who made each, and who archived it. */
  versions(name: string): Promise<readonly native.AppVersion[]>;
  /** Where two versions differ; 0 is the draft. */
  diff(name: string, between: { readonly from: number; readonly to: number }): Promise<readonly Difference[]>;
  clone(name: string, title: string): Promise<native.AppDraft>;
  erase(name: string): Promise<void>;
  /** What guards would make of a text. */
  tryGuards(trial: BodyOf<typeof native.tryGuards>): Promise<native.TriedGuards>;
}

export function applicationsClient(server: ServerAddress): ApplicationsClient {
  return {
    list: async () => (await askFor(server, native.listAppDefinitions, {})).apps,
    parts: () => askFor(server, native.listAppParts, {}),
    create: (title) => askFor(server, native.createApp, { body: { title } }),
    draft: (name) => askFor(server, native.readAppDraft, { of: { name } }),
    save: (name, app, revision) =>
      askFor(server, native.saveAppDraft, {
        of: { name },
        body: { app: app as BodyOf<typeof native.saveAppDraft>['app'], revision },
      }),
    publish: (name, revision) => askFor(server, native.publishApp, { of: { name }, body: { revision } }),
    archive: (name) => askFor(server, native.archiveApp, { of: { name } }),
    restore: (name) => askFor(server, native.restoreApp, { of: { name } }),
    versions: async (name) => (await askFor(server, native.listAppVersions, { of: { name } })).versions,
    diff: async (name, between) =>
      (await askFor(server, native.compareApp, { of: { name }, query: between })).fields,
    clone: (name, title) => askFor(server, native.cloneApp, { of: { name }, body: { title } }),
    async erase(name) {
      await ask(server, native.eraseApp, { of: { name } });
    },
    tryGuards: (body) => askFor(server, native.tryGuards, { body }),
  };
}
