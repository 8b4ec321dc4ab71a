/** The tenant of a folder's terminal: everything here belongs to the one person at this machine. */
export const localTenant = 'local';

/**
 * Whoever owns the folder, at whichever door: its terminal, its own key, or a server that asks for no key. One name, or
 * they would be two people where a second one has to decide.
 */
export const folderOwner = 'local';
