import { describe, expect, test } from '@jest/globals';
import { functionActor, membersBehind } from '../../../kernel/actors/members-behind.js';
import type { Role } from '../../../kernel/callers/caller.js';
import { ownerIdOf } from '../owner-id.js';
import { countedMakers, lostMaker } from './key-makers.js';

const workspaceId = 'ws_1';
const owner = ownerIdOf(workspaceId);
const roles = new Map<string, Role>([
  [owner, 'owner'],
  ['admin', 'admin'],
  ['editor', 'editor'],
]);
const roleOf = (id: string) => roles.get(id);
const name = 'x';

describe('the members behind an actor', () => {
  test.each([
    [{ kind: 'person', id: 'bob', name }, ['bob']],
    [{ kind: 'person', id: 'bob', name, makers: ['admin'] }, ['bob', 'admin']],
    [{ kind: 'connection', id: 'key_1', name, personBehind: { id: 'bob', name } }, ['bob']],
    [{ kind: 'agent', id: 'agent_1', name, personBehind: { id: 'bob', name }, makers: ['bob', 'eve'] }, ['bob', 'eve']],
    [{ kind: 'automation', id: 'key_1', name }, []],
    [{ kind: 'operator', id: 'operator', name }, []],
  ] as const)('finds the members behind %j', (actor, members) => {
    expect(membersBehind(actor)).toEqual(members);
  });

  test('of a function are those of its starter, at any depth', () => {
    const outer = functionActor({ id: 'fn_1', name }, { kind: 'person', id: 'bob', name, makers: ['admin'] });
    expect(membersBehind(functionActor({ id: 'fn_2', name }, outer))).toEqual(['bob', 'admin']);
  });
});

describe('the relevant makers of a key', () => {
  test('exclude the person of the key, and the Owner beside a member', () => {
    expect(countedMakers({ workspaceId, makers: ['bob', owner, 'admin'] }, 'bob')).toEqual(['admin']);
  });

  test('are all of them if the key has no person', () => {
    expect(countedMakers({ workspaceId, makers: [owner] }, null)).toEqual([owner]);
  });
});

describe('a key ends with its makers', () => {
  test.each([
    [['admin', owner], 'bob', undefined],
    [[], 'bob', undefined],
    [['editor'], 'editor', undefined],
    [['editor'], 'bob', 'maker-demoted'],
    [['editor'], null, 'maker-demoted'],
    [['admin', 'gone'], 'bob', 'maker-removed'],
    [['gone', 'editor'], null, 'maker-removed'],
  ] as const)('made by %j for %s: %s', (makers, actsFor, reason) => {
    expect(lostMaker({ makers }, actsFor, roleOf)).toBe(reason);
  });
});
