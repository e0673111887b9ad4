import { query } from '../../../engine/operation/bound-operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { resource } from '../../../engine/records/resource.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { chatOwnerOf, createChat, deleteChat, renameChat } from './chat.js';
import { type Chat, chats, chatTypes } from './chat.record.js';

const shared = {
  source: 'Sites API, Proxy, chats, connectors',
  group: 'chats',
  permission: 'site.edit',
  tools: 'never',
} as const;
const chat = resource(chats, {
  ...shared,
  source: 'Supplementary, sites, Source control, connections, chats',
  reads: 'site.read',
  edits: 'site.edit',
  id: 'cht',
  answer: { called: 'ChatRecord', dates: ['createdAt', 'updatedAt'] },
});

const named = { id: idField, type: { type: 'string', enum: chatTypes } } as const;
const titled = {
  fields: { success: { type: 'boolean', description: 'Always true.' }, title: { type: 'string' } },
} as const;

export const chatOperations = [
  query('site/listChats', {
    ...shared,
    source: 'Supplementary, sites, Source control, connections, chats',
    permission: 'site.read',
    summary: 'Lists your own conversations, newest first.',
    answers: { list: chat.shape },
    input: { type: { ...named.type, optional: true } },
    inject: [Reads],
    handle: (sent, call, reads) =>
      reads.find<Chat>(call.workspaceId, chats.collection.name, {
        where: { memberId: chatOwnerOf(call) ?? '', ...(sent.type === undefined ? {} : { type: sent.type }) },
        sort: [['createdAt', 'desc']],
        limit: 1_000,
      }),
  }),
  chat.create('site/createChat', {
    summary: 'Creates a conversation, which only you can see.',
    decide: (sent, call) => createChat(sent, call),
  }),
  recordCommand('site/renameChat', {
    ...shared,
    summary: 'Renames one of your conversations.',
    answers: titled,
    input: { ...named, title: { type: 'string', minLength: 1, maxLength: 200 } },
    record: chats,
    id: ({ id }) => id,
    decide: renameChat,
    answer: (after) => ({ success: true, title: (after ?? chats.missing()).title }),
  }),
  recordCommand('site/deleteChat', {
    ...shared,
    summary: 'Deletes one of your conversations.',
    takesAway: true,
    answers: titled,
    input: named,
    record: chats,
    id: ({ id }) => id,
    inject: [Reads],
    prepare: async ({ id }, call, reads) => (await reads.get<Chat>(call.workspaceId, chats.collection.name, id))?.title,
    decide: deleteChat,
    answer: (_, title) => ({ success: true, title: title ?? '' }),
  }),
];
