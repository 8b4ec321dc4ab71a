/** What an application attaches to a stage or to its message. */
export interface AttachmentOut {
  readonly type: string;
  readonly title: string;
  readonly data?: string;
  readonly url?: string;
  readonly reference_url?: string;
  readonly reference_type?: string;
}

/** A stage as the handler of a turn holds it. */
export interface DialStage {
  readonly index: number;
  readonly isOpen: boolean;
  say(text: string): void;
  /** Appends to its name, as the SDK does it. */
  rename(text: string): void;
  attach(attachment: AttachmentOut): void;
  close(status: 'completed' | 'failed'): void;
  stage(name: string): DialStage;
}

/** What a stage has gathered, for those who want no stream. */
export interface StageRecord {
  name: string;
  status: 'completed' | 'failed' | null;
  content: string;
  attachments: AttachmentOut[];
  parent?: number;
}

/** All stages of one answer: they are numbered in the order they are opened, also those inside of others. */
export class DialStages {
  readonly records: StageRecord[] = [];
  readonly #send: (piece: object) => void;
  readonly #open: DialStage[] = [];

  constructor(send: (piece: object) => void) {
    this.#send = send;
  }

  open(name: string, parent?: number): DialStage {
    const index = this.records.length;
    const record: StageRecord = {
      name,
      status: null,
      content: '',
      attachments: [],
      ...(parent !== undefined && { parent }),
    };
    this.records.push(record);
    this.#send({ index, name, ...(parent !== undefined && { parent_stage_index: parent }), status: null });
    const stage = this.#stageOf(index, record);
    this.#open.push(stage);
    return stage;
  }

  /** Whatever broke, broke inside of these. The innermost goes first. */
  failOpen(): void {
    for (const stage of this.#open.toReversed()) if (stage.isOpen) stage.close('failed');
  }

  #stageOf(index: number, record: StageRecord): DialStage {
    const send = (piece: object): void => {
      if (record.status !== null) throw new Error(`Stage ${index} is closed.`);
      this.#send({ index, ...piece });
    };
    return {
      index,
      get isOpen() {
        return record.status === null;
      },
      say(text) {
        if (text === '') return;
        send({ content: text, status: null });
        record.content += text;
      },
      rename(text) {
        send({ name: text, status: null });
        record.name += text;
      },
      attach(attachment) {
        send({ attachments: [{ index: record.attachments.length, ...attachment }], status: null });
        record.attachments.push(attachment);
      },
      close(status) {
        send({ status });
        record.status = status;
      },
      stage: (name) => this.open(name, index),
    };
  }
}
