import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { chatOwnerOf, createChat, deleteChat, renameChat } from './chat.js';
import { type ChatEvent, chats } from './chat.record.js';

const by = (kind: string, id: string, personBehind?: string) =>
  ({
    caller: { kind, id, ...(personBehind === undefined ? {} : { personBehind: { id: personBehind } }) },
  }) as OperationContext;
const ada = by('person', 'mem_ada');
const machine = by('automation', 'key_1');
const sent = { type: 'home', title: 'Hello' } as const;
const created: ChatEvent = { type: 'ChatCreated', data: { ...sent, memberId: 'mem_ada' } };

describe('a conversation', () => {
  it.each([
    ['a member', ada, 'mem_ada'],
    ['an AI client of a member', by('connection', 'con_1', 'mem_ada'), 'mem_ada'],
    ['an agent that a member started', by('agent', 'agent_1', 'mem_ada'), 'mem_ada'],
    ['a key of the workspace', machine, undefined],
    ['the service itself', {} as OperationContext, undefined],
  ])('of %s belongs to the person behind it', (_, call, owner) => {
    expect(chatOwnerOf(call)).toBe(owner);
  });

  it('requires a person', () => {
    given().when(createChat, sent, ada).emits(created);
    given().when(createChat, sent, machine).refuses('chat-needs-person');
  });

  it.each<[string, OperationContext, string]>([
    ['by somebody else', by('person', 'mem_eve'), 'home'],
    ['by nobody', machine, 'home'],
    ['under another type', ada, 'flow'],
  ])('is not found %s', (_, call, type) => {
    given(chats, [created]).when(renameChat, { type, title: 'Mine' }, call).refuses('chat-not-found');
    given(chats, [created]).when(deleteChat, { type }, call).refuses('chat-not-found');
  });

  it('is renamed and deleted by its owner', () => {
    given(chats, [created]).when(renameChat, sent, ada).emitsNothing();
    given(chats, [created])
      .when(renameChat, { type: 'home', title: 'Bye' }, ada)
      .emits({ type: 'ChatRenamed', data: { title: 'Bye' } });
    given(chats, [created])
      .when(deleteChat, { type: 'home' }, ada)
      .emits(expect.objectContaining({ type: 'ChatDeleted' }) as unknown as ChatEvent);
  });
});
