/** Runs of workflows are of apps that are called so. */
const prefix = 'workflow:';

export function appOfWorkflow(name: string): string {
  return `${prefix}${name}`;
}

/** The name of the workflow whose runs an app is; undefined for every other app. */
export function workflowOfApp(app: string): string | undefined {
  return app.startsWith(prefix) ? app.slice(prefix.length) : undefined;
}
