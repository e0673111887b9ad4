import { describe, expect, it } from '@jest/globals';
import { refusalOf } from '../../../../test/support/given/given.js';
import type { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Scopes } from '../../../engine/scopes/scopes.js';
import type { AwaitedTerms } from './site-events.js';
import { TriggerSites } from './trigger-sites.js';

const everythingOpen = { require: async () => undefined, admit: async () => undefined } as unknown as Scopes;
const everyTable = { find: async () => ({ projectId: 'proj_1' }) } as unknown as CommandRunner;
const sites = new TriggerSites(everythingOpen, everyTable);
const callOf = (kind: string) => ({ workspaceId: 'ws_1', caller: { kind } }) as unknown as OperationContext;
const rowsOf = (value: string): AwaitedTerms => ({ event: 'base.*', filters: [{ field: 'tableId', op: 'eq', value }] });
const allRows: AwaitedTerms = { event: 'base.*', filters: [] };
const none: AwaitedTerms = { event: 'custom.x', filters: [] };

describe('the sites of a trigger', () => {
  it('are judged as the change finds the trigger, not as it was when they were looked up', async () => {
    const call = callOf('agent');
    const ofOne = await sites.judge(call, rowsOf('tbl_1'));
    expect(() => ofOne(rowsOf('tbl_1'))).not.toThrow();
    expect(() => ofOne(none)).not.toThrow();
    expect(refusalOf(() => ofOne(rowsOf('tbl_2'))).code).toBe('too-much-contention');
    const ofNone = await sites.judge(call, none);
    expect(refusalOf(() => ofNone(allRows)).code).toBe('invalid-input');
    expect(refusalOf(() => ofNone(rowsOf('tbl_1'))).code).toBe('too-much-contention');
  });

  it('may be any for a person', async () => {
    const judge = await sites.judge(callOf('person'), none);
    expect(() => judge(allRows)).not.toThrow();
  });
});
