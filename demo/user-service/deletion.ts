/**
 * Whether a message asks for a deletion. Whoever sends messages to this service asks a person first if so, and the service
 * hands out `delete_user` for such messages only: both look here, so no deletion can slip past the person.
 */
export function asksForDeletion(message: string): boolean {
  return /\b(?:delet\w*|remov\w*|eras\w*|drop|purg\w*|wip\w*|destroy\w*|get rid of)\b/i.test(message);
}
