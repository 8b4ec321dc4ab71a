/** What a run is labelled with that is only tried: nothing may come of it. It is recorded when the run begins. */
export const dryLabels = { dry: 'yes' } as const;

export function isDry(labels: Readonly<Record<string, string>>): boolean {
  return labels['dry'] === dryLabels.dry;
}
