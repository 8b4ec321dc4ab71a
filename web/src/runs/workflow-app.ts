/** Runs of workflows are of apps that are called so. */
const workflowApps = 'workflow:';

export function appOfWorkflow(name: string): string {
  return `${workflowApps}${name}`;
}

export function isWorkflowApp(app: string): boolean {
  return app.startsWith(workflowApps);
}
