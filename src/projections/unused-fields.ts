/** What a request says that nobody here acts on, in a sentence. Other servers would, or so its client believes. */
export function unusedIn(
  request: Readonly<Record<string, unknown>>,
  used: Readonly<Record<string, unknown>>,
): readonly string[] {
  const given = Object.entries(request).filter(([field, value]) => !(field in used) && !isEmpty(value));
  if (given.length === 0) return [];
  const names = given.slice(0, most).map(([field]) => `«${field.slice(0, 60)}»`);
  const others = given.length > most ? ` and ${given.length - most} more` : '';
  const were = given.length === 1 ? 'was' : 'were';
  return [`${names.join(', ')}${others} of the request ${were} not used: the app decides that.`];
}

const most = 20;

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
