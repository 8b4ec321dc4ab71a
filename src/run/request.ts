/** The request a run serves, by the caller's own name for it if there is one: the same for all its phases. */
export function requestOf(labels: Readonly<Record<string, string>> | undefined, run: string): string {
  return labels?.['requestId'] ?? run;
}

/** The project it belongs to, by the caller's own name for it; its app where there is none. */
export function projectOf(labels: Readonly<Record<string, string>>, app: string): string {
  return labels['projectId'] ?? labels['project'] ?? app;
}
