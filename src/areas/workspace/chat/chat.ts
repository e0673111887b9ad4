import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { refuse } from '../workspace.refusals.js';
import { type Chat, type ChatEvent, chats, type NewChat } from './chat.record.js';

export const chatOwnerOf = ({ caller }: OperationContext): string | undefined =>
  caller?.kind === 'person' ? caller.id : caller?.personBehind?.id;

export const createChat = (sent: Omit<NewChat, 'memberId'>, call: OperationContext): readonly ChatEvent[] =>
  chats.created({ ...sent, memberId: chatOwnerOf(call) ?? refuse('chat-needs-person') });

interface Named {
  readonly type: string;
}

/** @throws Refusal chat-not-found, also if the conversation belongs to someone else or has another type */
export const renameChat = (before: Chat, sent: Named & { readonly title: string }, call: OperationContext) =>
  chats.changed(ownChat(before, sent, call), { title: sent.title });

/** @throws Refusal chat-not-found, also if the conversation belongs to someone else or has another type */
export const deleteChat = (before: Chat, sent: Named, call: OperationContext) =>
  chats.deleted(ownChat(before, sent, call));

const ownChat = (before: Chat, { type }: Named, call: OperationContext): Chat =>
  before.type === type && before.memberId === chatOwnerOf(call) ? before : chats.missing();
