/** What a stage is called when names are compared: «🔍 Web Search» is "web search". */
export function stageName(title: string): string {
  const name = title.trim().toLowerCase();
  return name.replace(/^[^\p{L}\p{N}]+/u, '') || name;
}
