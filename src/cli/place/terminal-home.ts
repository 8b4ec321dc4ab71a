import type { AppList } from '../../wire/native/people.ts';
import type { WorkflowsClient } from '../../client/workflows.ts';
import type { Home } from '../../server/folder/home.ts';

/** Where a terminal has come to: what can be read and asked there, and the workflows of whoever sits at it. */
export interface TerminalHome extends Home {
  readonly workflows: WorkflowsClient;
  /** The apps there are for them: those of the configuration, and people's own. */
  appList(): Promise<AppList>;
}
