/** A paragraph, a list item or a heading, with the lines of the file it stands on. */
export interface Block {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** 1 to 6 for a heading. */
  readonly level?: number;
}
