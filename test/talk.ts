// One conversation with `vitrine serve`, a process that may be killed, as a person has it over HTTP.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FlatTree } from '../src/run/flat-tree.ts';
import type { ApprovalPage, AskedApproval } from '../src/wire/native/approvals.ts';
import type { Attachment } from '../src/run/values.ts';
import { configured, eventually, servedConfig, type ServedConfig } from './served-config.ts';

export class Talk {
  readonly cwd: string;
  server: ServedConfig | undefined;
  /** Who asks, where a key is asked for. */
  key: string | undefined;
  #conversation: string | undefined;

  constructor(config: string) {
    this.cwd = configured(config);
  }

  async open(): Promise<void> {
    this.server = await servedConfig(this.cwd);
  }

  /** kill -9, and start again. */
  async crash(): Promise<void> {
    this.server?.child.kill('SIGKILL');
    await this.server?.ended;
    await this.open();
  }

  /** SIGTERM, and start again. */
  async restart(): Promise<void> {
    this.server?.child.kill('SIGTERM');
    await this.server?.ended;
    await this.open();
  }

  ask<T>(path: string, body?: object, key = this.key): Promise<T> {
    if (!this.server) throw new Error('not started');
    return this.server.ask<T>(path, body, key);
  }

  async say(text: string, ...attachments: readonly Attachment[]): Promise<string> {
    const conversation = this.#conversation === undefined ? {} : { conversation: this.#conversation };
    const started = await this.ask<{ run: string; conversation: string }>('/api/runs', {
      input: attachments.length === 0 ? { text } : { text, attachments },
      ...conversation,
    });
    this.#conversation = started.conversation;
    return started.run;
  }

  ended(run: string): Promise<FlatTree> {
    return eventually(async () => {
      const tree = await this.ask<FlatTree>(`/api/runs/${run}`);
      return tree.endedAt === undefined ? undefined : tree;
    });
  }

  /** The open question of a run, once it is this one. */
  question(run: string, isIt: (asked: AskedApproval) => boolean = () => true): Promise<AskedApproval> {
    return eventually(async () => {
      const { approvals } = await this.ask<ApprovalPage>(`/api/approvals?run=${run}`);
      return approvals.find(isIt);
    });
  }

  /** The open question of a run, once it is about this list. */
  asked(run: string, list: string): Promise<AskedApproval> {
    return this.question(run, ({ exchange }) => exchange?.asked === `list ${list}`);
  }

  decide({ id, fingerprint }: AskedApproval, more: object = {}, key = this.key): Promise<unknown> {
    return this.ask(`/api/approvals/${id}`, { decision: 'approve', fingerprint, ...more }, key);
  }

  /** What agents wrote into the file `ledger`. */
  get ledger(): string[] {
    const file = join(this.cwd, 'ledger');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }
}
