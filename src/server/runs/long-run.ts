/** Whoever reads more of a journal than this has long work from the beginning. Bytes. */
export const longRun = 256 * 1024;
