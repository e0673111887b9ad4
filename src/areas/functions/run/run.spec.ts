import { describe, expect, test } from '@jest/globals';
import { type RunBy, startRefusal } from '../../../kernel/actors/run-by.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { inWords } from '../../../kernel/callers/starter.js';
import { attemptsAllowed, getsRefusals, retryDelayMs, startsAgainAfterLoss } from './run.js';

const member = (id: string, role: string): Starter => ({
  kind: 'member',
  id,
  name: 'Ada',
  role,
  email: 'a@example.org',
});
const owner = member('mem_1', 'owner');
const agent: Starter = { kind: 'agent', id: 'ag_1', name: 'Bot', person: { id: 'mem_1', name: 'Ada' } };
const webhook: Starter = { kind: 'webhook', id: 'wh_1' };
const automation: Starter = { kind: 'automation', id: 'key_1', name: 'Nightly' };
const flow: Starter = { kind: 'flow', id: 'key_2', name: 'Intake' };
const caller: Starter = { kind: 'function', id: 'fn_2', name: 'Caller', behind: owner };

const rules = (runBy: RunBy | null) => ({ accessRules: { execute: null, runBy } });
const open: RunBy = { pages: false, functions: 'any', agents: 'any' };
const closed: RunBy = { pages: false, functions: [], agents: [] };

describe('attempts', () => {
  test.each([webhook, automation, flow])('$kind: once and maxRetries times more', (starter) => {
    expect(attemptsAllowed({ maxRetries: 3 }, starter)).toBe(4);
  });

  test.each([owner, agent, caller])('$kind: once', (starter) => {
    expect(attemptsAllowed({ maxRetries: 3 }, starter)).toBe(1);
  });

  test('pauses double from one second', () => {
    expect([1, 2, 3, 4, 5].map(retryDelayMs)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  });

  test('a lost attempt is repeated, but not forever', () => {
    expect([1, 2, 3].map(startsAgainAfterLoss)).toEqual([true, true, false]);
  });
});

describe('who learns that a run does not begin', () => {
  test.each([owner, agent, caller, automation, flow])('$kind: from the answer', (starter) => {
    expect(getsRefusals(starter)).toBe(true);
  });

  test('webhook: from the failed run', () => {
    expect(getsRefusals(webhook)).toBe(false);
  });
});

describe('who may start a function', () => {
  test('without runBy: no function and no agent, but members', () => {
    expect(startRefusal(rules(null), owner)).toBeUndefined();
    expect(startRefusal(rules(null), agent)).toBe('the agent Bot');
    expect(startRefusal(rules(null), caller)).toBe('the function Caller');
  });

  test.each([agent, caller])('$kind: when listed or any', (starter) => {
    const id = 'id' in starter ? starter.id : '';
    expect(startRefusal(rules(open), starter)).toBeUndefined();
    expect(startRefusal(rules({ ...closed, functions: [id], agents: [id] }), starter)).toBeUndefined();
    expect(startRefusal(rules({ ...closed, functions: ['x'], agents: ['x'] }), starter)).toBeDefined();
  });

  test("members 'all' | 'admins' | people", () => {
    const may = (members: NonNullable<RunBy['members']>, starter: Starter) =>
      startRefusal(rules({ ...closed, members }), starter) === undefined;
    const editor = member('mem_2', 'editor');
    expect([may('all', editor), may('admins', editor), may('admins', owner)]).toEqual([true, false, true]);
    expect(may('admins', member('mem_3', 'admin'))).toBe(true);
    expect([may({ people: ['mem_2'] }, editor), may({ people: ['mem_2'] }, owner)]).toEqual([true, false]);
  });

  test.each([webhook, automation, flow])('$kind: not covered by runBy', (starter) => {
    expect(startRefusal(rules(closed), starter)).toBeUndefined();
  });
});

describe('startedBy in words', () => {
  test.each([
    [owner, 'Ada'],
    [agent, 'AI agent Bot'],
    [webhook, 'Webhook'],
    [caller, 'Another function'],
    [automation, 'Automation Nightly'],
    [flow, 'Flow Intake'],
  ] as const)('says who started a run: %j is %j', (starter, words) => {
    expect(inWords(starter)).toBe(words);
  });
});
