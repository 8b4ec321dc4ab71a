/** A paragraph, a list item, a row of a table or a heading, with the lines of the file it stands on, or the pages. */
export interface Block {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** 1 to 6 for a heading. */
  readonly level?: number;
  /** Whether it is the first of a page. */
  readonly isFirst?: boolean;
}
