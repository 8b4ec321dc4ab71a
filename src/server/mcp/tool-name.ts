/** An app's name as a tool's: letters, digits, `_`, `-` and `.`, at most 64 of them. */
export function toolName(app: string): string {
  return app.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 64);
}
