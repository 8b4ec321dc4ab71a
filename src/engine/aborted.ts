/** Why signals of ours abort. Made anew for each, with a stack that nobody reads, it would be most of what a run's end costs. */
export const aborted = new DOMException('This operation was aborted', 'AbortError');
