import { z } from 'zod';
import { functionTool, type Tool } from '../../src/index.ts';
import { asksForDeletion } from './deletion.ts';
import { mailboxOf } from './generated-users.ts';
import type { Users } from './users.ts';

const word = z.string().trim().min(1).max(120);
const fields = { first_name: word, last_name: word, email: z.email(), phone: word, city: word, role: word };
const some = z.strictObject(fields).partial();
const id = z.int().positive().describe('The number of the user.');

/** What the service's model may do. A deletion is only offered to messages that ask for one. */
export function userTools(
  users: Users,
  { conversation, message }: { readonly conversation: string; readonly message: string },
): Tool[] {
  const tools = [
    searchTool(users),
    getTool(users),
    createTool(users, conversation),
    updateTool(users, conversation),
  ];
  return asksForDeletion(message) ? [...tools, deleteTool(users, conversation)] : tools;
}

function searchTool(users: Users): Tool {
  return functionTool({
    name: 'search_users',
    description: 'Finds users whose fields are equal to those given, or all of them, ordered by name.',
    effect: 'pure',
    input: some.extend({
      name: word.optional().describe('The first or the last name.'),
      limit: z.int().min(1).max(100).default(25),
      offset: z.int().min(0).default(0),
    }),
    run: ({ limit, offset, ...filter }) => users.search(filter, limit, offset),
  });
}

function getTool(users: Users): Tool {
  return functionTool({
    name: 'get_user',
    description: 'Gives one user.',
    effect: 'pure',
    input: z.strictObject({ id }),
    run: (input) => ({ user: users.get(input.id) }),
  });
}

function createTool(users: Users, conversation: string): Tool {
  return functionTool({
    name: 'create_user',
    description: 'Creates a user. What is not said gets a usual value.',
    effect: 'once',
    input: some.required({ first_name: true, last_name: true }),
    run({ first_name, last_name, email, phone = '', city = 'Sydney', role = 'Service desk' }) {
      const address = email ?? freeAddress(users, mailboxOf(first_name, last_name));
      const user = users.create({ first_name, last_name, email: address, phone, city, role }, conversation);
      return { user, total: users.count() };
    },
  });
}

function updateTool(users: Users, conversation: string): Tool {
  return functionTool({
    name: 'update_user',
    description: 'Changes fields of one user.',
    effect: 'idempotent',
    input: some.extend({ id }),
    run: ({ id: user, ...changed }) => ({ user: users.update(user, changed, conversation) }),
  });
}

function deleteTool(users: Users, conversation: string): Tool {
  return functionTool({
    name: 'delete_user',
    description: 'Deletes one user for good.',
    effect: 'once',
    input: z.strictObject({ id }),
    run: (input) => ({ user: users.delete(input.id, conversation), total: users.count() }),
  });
}

function freeAddress(users: Users, mailbox: string): string {
  for (let number = 1; ; number += 1) {
    const email = `${mailbox}${number === 1 ? '' : number}@banksia.example`;
    if (users.search({ email }, 1, 0).total === 0) return email;
  }
}
