export const views = ['canvas', 'yaml', 'list'] as const;
export type View = (typeof views)[number];

/** How a workflow is looked at: in which view, with which side open, and which version instead of the draft. */
export interface Looking {
  readonly view: View;
  readonly side?: 'versions' | 'schedules' | undefined;
  readonly version?: number | undefined;
}

/** What stands behind the sign in the address: `yaml`, `versions/3`, `schedules/list`. */
export function lookingAt(fragment = ''): Looking {
  const pieces = fragment.split('/');
  const view = views.find((one) => pieces.includes(one)) ?? 'canvas';
  if (pieces.includes('schedules')) return { view, side: 'schedules' };
  if (!pieces.includes('versions')) return { view };
  const version = pieces.find((piece) => /^[1-9]\d{0,8}$/.test(piece));
  return { view, side: 'versions', version: version === undefined ? undefined : Number(version) };
}

export function fragmentOf({ view, side, version }: Looking): string | undefined {
  const pieces = [side, side === 'versions' ? version : undefined, view === 'canvas' ? undefined : view];
  const said = pieces.filter((piece) => piece !== undefined).join('/');
  return said === '' ? undefined : said;
}
