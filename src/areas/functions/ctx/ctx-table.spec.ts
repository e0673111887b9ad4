import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { refusedErrors } from '../../../../test/support/given/refused-errors.js';
import type { Calls } from '../../../engine/operation/calls.js';
import { Refusal, type RefusalKind } from '../../../kernel/refusals/refusal.js';
import { statusOf } from '../../../kernel/refusals/refusal-status.js';
import type { Capability } from '../../../ports/offloaded/sandbox.port.js';
import { makeCalls } from '../../../sandbox/guest/calls.js';
import type { GuestLimits, Host } from '../../../sandbox/guest/host.js';
import { type CtxMember, ctxMember, writtenAs } from './ctx-member.js';
import { ctxMembers } from './ctx-members.js';
import { CtxTable } from './ctx-table.api.js';
import type { PowerDenials } from './power-denials.js';
import type { RunScope } from './run-scope.js';

class Greeter {
  greet = (name: string) => `Hello ${name}`;
}

let table: CtxTable;
beforeEach(() => {
  const denials = {
    withDecisionIds: (_: string, __: RunScope, call: () => unknown) => call(),
  } as unknown as PowerDenials;
  table = new CtxTable({} as Calls, denials);
});

interface Given {
  readonly projectId?: string;
  readonly powers?: readonly string[];
  readonly mostCalls?: number;
  readonly neverDeletes?: boolean;
}

const scopeOf = ({ projectId, powers = [], mostCalls = 100, neverDeletes }: Given = {}) =>
  ({
    request: { workspaceId: 'ws_1', actor: { kind: 'person', id: 'mem_1', name: 'Ada' }, neverDeletes },
    function: {
      id: 'fn_1',
      name: 'Orders',
      ...(projectId === undefined ? {} : { projectId }),
      capabilities: powers,
      identityMode: 'as_set_up',
      grants: { bases: [{ projectId: 'prj_1', access: 'read' }], serviceTools: [], connections: [] },
    },
    mostCalls,
  }) as unknown as RunScope;

const caller = { depth: 0, ended: new AbortController().signal };

function offered(members: readonly CtxMember[], given?: Given): (name: string, ...sent: string[]) => Promise<unknown> {
  table.register(members, new Map([[Greeter, new Greeter()]]));
  const made: readonly Capability[] = table.capabilitiesFor(scopeOf(given));
  return async (name, ...sent) => made.find((one) => one.name === name)?.call(sent, caller);
}

const greets = (more: Partial<CtxMember> & { readonly name: string }) =>
  ctxMember({ greeter: Greeter })({
    usage: '(name): greets.',
    ...more,
    args: ([name], no) => (typeof name === 'string' ? name : no('takes a name')),
    call: async (name, { greeter, site }) => `${greeter.greet(name)} of ${site.projectId}`,
  });

describe('a member of ctx', () => {
  it('gets its providers and arguments, and acts in the site of its function', async () => {
    expect(await offered([greets({ name: 'a.greet' })], { projectId: 'prj_7' })('a.greet', 'Ada')).toBe(
      'Hello Ada of prj_7',
    );
  });

  it('is set up at its first call, once a run', async () => {
    let begun = 0;
    const member = greets({ name: 'a.greet' });
    const begin: CtxMember['begin'] = (...around) => {
      begun += 1;
      return member.begin(...around);
    };
    const call = offered([{ ...member, begin }]);
    expect(begun).toBe(0);
    await call('a.greet', 'Ada');
    await call('a.greet', 'Grace');
    expect(begun).toBe(1);
  });

  it('of a site acts in the granted site that the first argument names', async () => {
    const call = offered([greets({ name: 'sites.greet' })]);
    expect(await call('sites.greet', 'prj_1', 'Ada')).toBe('Hello Ada of prj_1');
    await expect(call('sites.greet', 'prj_2', 'Ada')).rejects.toMatchObject({ code: 'site-not-granted', status: 403 });
  });

  it('refuses arguments under its own name', async () => {
    await expect(offered([greets({ name: 'a.greet' })])('a.greet')).rejects.toMatchObject({
      message: 'ctx.a.greet takes a name.',
      code: 'invalid-input',
      status: 400,
    });
  });

  it('that deletes is refused for that first, then for its power, then for its arguments', async () => {
    const member = greets({ name: 'a.greet', power: 'email', deletes: 'It deletes.' });
    const codeOf = (given: Given) => offered([member], given)('a.greet').catch(({ code }) => code);
    expect(await codeOf({ neverDeletes: true })).toBe('key-never-deletes');
    expect(await codeOf({})).toBe('power-missing');
    expect(await codeOf({ powers: ['email'] })).toBe('invalid-input');
  });

  it('may be called a limited number of times in one run, and again in the next', async () => {
    const member = greets({ name: 'a.greet', mostCalls: { count: 1, instead: 'greet several at once' } });
    const call = offered([member]);
    await call('a.greet', 'Ada');
    await expect(call('a.greet', 'Bob')).rejects.toMatchObject({
      message: 'A run may call ctx.a.greet 1 times; greet several at once.',
      code: 'limit',
    });
    expect(await offered([member])('a.greet', 'Ada')).toBe('Hello Ada of ');
  });

  it('keeps its state for one run', async () => {
    const counts = ctxMember({})({
      name: 'a.count',
      usage: '(): counts.',
      args: () => undefined,
      state: () => ({ made: 0 }),
      call: async (_, { state }) => ++state.made,
    });
    const call = offered([counts]);
    expect([await call('a.count'), await call('a.count')]).toEqual([1, 2]);
    expect(await offered([counts])('a.count')).toBe(1);
  });

  it('counts among the calls that the plan allows a run, by default', async () => {
    const call = offered([greets({ name: 'a.greet' }), greets({ name: 'b.greet', isCounted: false })], {
      mostCalls: 1,
    });
    await call('b.greet', 'Ada');
    await call('a.greet', 'Ada');
    await expect(call('a.greet', 'Ada')).rejects.toMatchObject({ code: 'call-limit', status: 429 });
    expect(await call('b.greet', 'Ada')).toBe('Hello Ada of ');
  });

  it('throws refusals and outages of stores with the status that an operation would answer', async () => {
    const failing = (error: unknown) =>
      ctxMember({})({ name: 'a.fail', usage: '(): fails.', args: () => undefined, call: () => Promise.reject(error) });
    const thrown = (error: unknown) => offered([failing(error)])('a.fail').catch((refused: unknown) => refused);
    for (const [kind, status] of Object.entries(statusOf)) {
      const refusal = new Refusal('some-code', kind as RefusalKind, 'It is refused.');
      expect(await thrown(refusal)).toMatchObject({ message: 'It is refused.', code: 'some-code', status });
    }
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    for (const [error, code, logged] of refusedErrors) {
      expect(await thrown(error)).toMatchObject({ code, status: 503 });
      expect(warn).toHaveBeenLastCalledWith(expect.stringContaining(logged));
    }
    warn.mockRestore();
    const fault = new Error('a fault');
    expect(await thrown(fault)).toBe(fault);
  });

  it('describes itself, its arguments and needs to authors of functions that have it', () => {
    table.register(
      [
        greets({ name: 'greet' }),
        greets({ name: 'service.greet', owner: 'project', power: 'service' }),
        greets({ name: 'sites.users.greet', owner: 'workspace', power: 'users' }),
      ],
      new Map(),
    );
    expect(table.usages()).toEqual([
      'ctx.greet(name): greets.',
      "ctx.sites['<name or id>'].users.greet(name): greets. Needs the power 'users' and the site in grants.bases.",
    ]);
    expect(table.usages({ projectId: 'prj_1' })).toEqual([
      'ctx.greet(name): greets.',
      'ctx.service.greet(name): greets. Needs Full data access.',
    ]);
  });
});

it('ctx contains exactly these', () => {
  const groups = Map.groupBy(ctxMembers, ({ name, owner = 'all', power = 'no power' }) =>
    [name.slice(0, Math.max(0, name.lastIndexOf('.'))), owner, power].join(', '),
  );
  const marked = ({ name, isCounted, deletes, mostCalls, recordedAs = writtenAs(name) }: CtxMember) => [
    name.slice(name.lastIndexOf('.') + 1),
    ...(recordedAs === writtenAs(name) ? [] : [`(as ${recordedAs})`]),
    ...(isCounted === false ? ['(not counted)'] : []),
    ...(deletes === undefined ? [] : ['(deletes)']),
    ...(mostCalls === undefined ? [] : [`(${mostCalls.count} a run)`]),
  ];
  const shown = [...groups].map(([group, members]) => [group, members.flatMap(marked).join(' ')]);
  const tables =
    'getRows getRow searchRows filterRows getRowCount readAll report listTables getTableSchema createRow updateRow upsertRow deleteRow (deletes) bulkUpdateRows bulkDeleteRows (deletes)';
  expect(Object.fromEntries(shown)).toEqual({
    ', all, no power': 'fetch (not counted)',
    'connections, all, no power': 'call',
    'email, all, email': 'send sendVia (as ctx.email.send) accounts',
    'env, all, env': 'get set (100 a run)',
    'events, all, no power': 'emit (as accountEvents/raise)',
    'files, all, no power': 'read',
    'files, project, no power': 'list getUrl getUploadUrl upload delete (deletes)',
    'functions, workspace, no power': 'run',
    'realtime, project, no power': 'publish',
    'secrets, all, no power': 'verifyHmac',
    'service.email, project, service': 'send sendVia (as ctx.service.email.send) accounts',
    'service.tables, project, service': tables,
    'sites.entitlements, workspace, entitlements':
      'list (as site/getEntitlements) grant (as site/grantEntitlement) revoke (as site/revokeEntitlement)',
    'sites.methods, workspace, no power': 'call',
    'sites.tables, workspace, no power': tables,
    'sites.users, workspace, users':
      'list (as site/getAppUsers) get (as site/getAppUser) update (as site/updateAppUser) ban (as site/updateAppUser)',
    'tables, project, no power': tables,
  });
});

it('the guest counts the same calls', () => {
  const countedByGuest = ({ name }: CtxMember) => {
    const calls = makeCalls((() => true) as Host, { callArguments: 1_000, callsAtOnce: 1 } as GuestLimits);
    void calls.member(name)();
    return calls.used() === 1;
  };
  const uncounted = ctxMembers.filter((member) => !countedByGuest(member)).map(({ name }) => name);
  expect(uncounted).toEqual(ctxMembers.filter(({ isCounted }) => isCounted === false).map(({ name }) => name));
});
