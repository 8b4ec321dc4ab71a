/**
 * Why a signal aborts where people stopped the run: whoever works elsewhere for it is told to stop, too. Any other reason
 * means that nobody here listens any more, and the work may go on elsewhere.
 */
export const stopped = new DOMException('The run was stopped', 'AbortError');
