import { id, oneOf, text } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { CreateInput, NounEvents, RecordOf } from '../../../kernel/noun/noun-types.js';
import { refuse } from '../workspace.refusals.js';

export const chatTypes = ['app', 'flow', 'base', 'home'] as const;

const fields = {
  /** The member to whom the conversation belongs. No other member can find it. */
  memberId: id().unsent().internal(),
  type: oneOf(...chatTypes).fixed(),
  title: text({ minLength: 1, maxLength: 200 }).describe({ sent: '1 to 200 characters.' }),
};

const events = { created: 'ChatCreated', changed: 'ChatRenamed', deleted: 'ChatDeleted' } as const;

export type ChatEvent = NounEvents<typeof fields, typeof events>;
export type NewChat = CreateInput<typeof fields>;
export interface Chat extends RecordOf<typeof fields> {
  readonly updatedAt: string;
}

export const chats = noun<Chat, ChatEvent>()({
  kind: 'chat',
  fields,
  events,
  // Titles are personal, so only callers who manage members may read their history in the audit.
  auditedFor: 'members.manage',
  shownBy: 'site/listChats',
  undoing: 'A conversation belongs to one person, who can rename it or create another one.',
  missing: () => refuse('chat-not-found'),
  collection: { name: 'chats', version: 1, indexes: [{ fields: ['workspaceId', 'memberId', 'createdAt'] }] },
  updatedAt: true,
});
