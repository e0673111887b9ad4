// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppSettings } from '../../../src/areas/functions/app-setting/app-settings.api.js';
import { CtxTable } from '../../../src/areas/functions/ctx/ctx-table.api.js';
import type { RunScope } from '../../../src/areas/functions/ctx/run-scope.js';
import { RunSecrets } from '../../../src/areas/functions/run-secrets/run-secrets.api.js';
import { Calls } from '../../../src/engine/operation/calls.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Sandbox } from '../../../src/ports/offloaded/sandbox.port.js';
import { checkProgram } from '../../../src/sandbox/program.js';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let workspaceId = '';
beforeAll(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());

let made = 0;
const newName = () => `APP_${made++}`;
const settings = () => app.app.get(AppSettings, { strict: false });

function scopeOf(powers: RunScope['function']['capabilities'], of = workspaceId): RunScope {
  const n = made++;
  const actor = { kind: 'person', id: 'mem_1', name: 'Ada' } as const;
  return {
    request: {
      workspaceId: of,
      functionId: 'fn_1',
      runId: `run_${n}`,
      params: {},
      source: 'manual',
      starter: { kind: 'webhook', id: 'wh_1' },
      actor,
      correlationId: `correlation ${n}`,
      causationId: null,
      depth: 0,
    },
    function: {
      id: 'fn_1',
      name: 'Keeper',
      grants: { bases: [], databaseIds: [], serviceTools: [], connections: [] },
      capabilities: powers,
      identityMode: 'as_set_up',
    },
    secrets: RunSecrets.none(),
    mostCalls: 1_000,
  };
}

/** Runs code in the sandbox, with the ctx members that these powers give to a function. */
async function run(code: string, scope = scopeOf(['env'])) {
  const checked = checkProgram(code);
  if (!checked.ok) throw new Error(checked.message);
  return app.app.get(Sandbox, { strict: false }).run({
    isolateKey: code,
    program: checked.program,
    params: {},
    context: {},
    capabilities: app.app.get(CtxTable, { strict: false }).capabilitiesFor(scope),
    timeoutMs: 60_000,
    captureLogs: true,
  });
}

async function resultOf(code: string, scope?: RunScope) {
  const outcome = await run(code, scope);
  expect(outcome).toMatchObject({ ok: true });
  return outcome.ok ? outcome.result : undefined;
}

const refusalOf = (call: string, scope?: RunScope) =>
  resultOf(
    `try { return await ${call} } catch ({ code, status, message }) { return { code, status, message } }`,
    scope,
  );

describe('ctx.env', () => {
  it('returns what was set, in the same run and in any other', async () => {
    const name = newName();
    expect(await resultOf(`await ctx.env.set('${name}', 'gold'); return ctx.env.get('${name}')`)).toBe('gold');
    expect(await resultOf(`return ctx.env.get('${name}')`)).toBe('gold');
    expect(await resultOf(`await ctx.env.set('${name}', ''); return ctx.env.get('${name}')`)).toBe('');
  });

  it('returns null for an unset name', async () => {
    expect(await resultOf('return ctx.env.get("APP_NEVER_SET")')).toBeNull();
    expect(await resultOf('return ctx.env.get("NEVER_SET")')).toBeNull();
    expect(await resultOf('return ctx.env.get("no name")')).toBeNull();
  });

  it('removes a setting with null', async () => {
    const name = newName();
    expect(
      await resultOf(
        `await ctx.env.set('${name}', 'x'); await ctx.env.set('${name}', null); return ctx.env.get('${name}')`,
      ),
    ).toBeNull();
  });

  it('never returns a secret, and names the alternative', async () => {
    const name = `CANARY_${made++}`;
    await done(app, 'automations/setEnvVar', { name, value: 'canary value' });
    const refused = await refusalOf(`ctx.env.get('${name}')`);
    expect(refused).toMatchObject({ code: 'secret-not-readable', status: 403 });
    expect(JSON.stringify(refused)).toContain(`ctx.secrets.ref('${name}')`);
    expect(JSON.stringify(refused)).not.toContain('canary value');
  });

  it('writes names with APP_ only', async () => {
    const name = `OTHER_${made++}`;
    await done(app, 'automations/setEnvVar', { name, value: 'before' });
    expect(await refusalOf(`ctx.env.set('${name}', 'x')`)).toMatchObject({ code: 'app-setting-name', status: 400 });
    expect(await refusalOf("ctx.env.set('APP_lower', 'x')")).toMatchObject({ code: 'app-setting-name', status: 400 });
  });

  it('accepts 10,000 characters and refuses 10,001', async () => {
    const name = newName();
    expect(
      await resultOf(
        `await ctx.env.set('${name}', '😀'.repeat(10000)); return [...await ctx.env.get('${name}')].length`,
      ),
    ).toBe(10_000);
    const refused = await refusalOf(`ctx.env.set('${name}', 'x'.repeat(10001))`);
    expect(refused).toMatchObject({ code: 'app-setting-value', status: 400 });
  });

  it.each([
    'ctx.env.set()',
    'ctx.env.set("APP_X")',
    'ctx.env.set("APP_X", 7)',
    'ctx.env.set("APP_X", {})',
    'ctx.env.set(7, "x")',
    'ctx.env.get()',
    'ctx.env.get({})',
  ])('refuses %s with an error message', async (call) => {
    expect(await refusalOf(call)).toMatchObject({ code: 'invalid-input', status: 400 });
  });

  it.each(['ctx.env.get("APP_X")', 'ctx.env.set("APP_X", "y")'])('refuses %s without the power env', async (call) => {
    const refused = await refusalOf(call, scopeOf(['email', 'service']));
    expect(refused).toMatchObject({ code: 'power-missing', status: 403 });
    expect(JSON.stringify(refused)).toContain('setFunctionCapabilities');
    const fn = await done(app, 'automations/createFunction', {
      name: `without power ${made++}`,
      code: `try { await ${call} } catch (error) { return error.code }`,
    });
    expect((await done(app, 'automations/invokeFunction', { id: fn.id })).result).toBe('power-missing');
  });

  it('lets a run write 100 times', async () => {
    const name = newName();
    const code = `for (let n = 1; n <= 101; n++) {
      try { await ctx.env.set('${name}', String(n)) } catch ({ code, status }) { return [n, code, status] }
    }`;
    expect(await resultOf(code)).toEqual([101, 'limit', 429]);
    expect(await resultOf(`return ctx.env.get('${name}')`)).toBe('100');
  });

  it('accepts many simultaneous writes of one name: the last one recorded wins', async () => {
    const name = newName();
    const code = `await Promise.all(Array.from({ length: 50 }, (_, n) => ctx.env.set('${name}', 'v' + n)))`;
    await Promise.all([run(code), run(`${code};`)]);
    const events = await app.app.get(EventStore, { strict: false }).readStream(`appSetting-${workspaceId}.${name}`);
    const { value } = (events.at(-1) ?? { data: {} }).data as { readonly value: string };
    expect(await resultOf(`return ctx.env.get('${name}')`)).toBe(value);
  });

  it('separates workspaces', async () => {
    const other = await otherWorkspace(app);
    const name = newName();
    await resultOf(`await ctx.env.set('${name}', 'ours')`);
    expect(await resultOf(`return ctx.env.get('${name}')`, scopeOf(['env'], other.workspaceId))).toBeNull();
  });
});

describe('the settings of a workspace', () => {
  it('are in the audit: which function set what, in which run', async () => {
    const name = newName();
    const scope = scopeOf(['env']);
    await resultOf(
      `await ctx.env.set('${name}', 'a'); await ctx.env.set('${name}', 'a'); await ctx.env.set('${name}', 'b')`,
      scope,
    );
    const { events } = await done(app, 'audit/getHistory', { kind: 'appSetting', id: name });
    expect(events).toMatchObject([
      { type: 'AppSettingSet', data: { value: 'a' } },
      {
        type: 'AppSettingSet',
        data: { value: 'b' },
        actor: { kind: 'function', id: 'fn_1', name: 'Keeper' },
        command: 'ctx.env.set',
        causationId: scope.request.runId,
        correlationId: scope.request.correlationId,
        changes: expect.arrayContaining([{ path: 'value', from: 'a', to: 'b' }]),
      },
    ]);
    expect(events).toHaveLength(2);
  });

  it('are 200 at most: the next one is refused until one is removed', async () => {
    const { workspaceId: of } = await otherWorkspace(app);
    const { actor, correlationId } = app.app
      .get(Calls, { strict: false })
      .once(of, { kind: 'system', id: 's', name: 's' }, 'spec/record');
    const set = (n: number, value: string | null = 'x') =>
      settings().set({ workspaceId: of, name: `APP_N${n}`, value, actor, correlationId, causationId: null });
    for (let n = 0; n < 200; n++) await set(n);
    const scope = () => scopeOf(['env'], of);
    expect(await refusalOf("ctx.env.set('APP_MORE', 'x')", scope())).toMatchObject({
      code: 'app-settings-full',
      status: 409,
    });
    expect(await refusalOf("ctx.env.set('APP_N7', 'changed')", scope())).toBeNull();
    await set(7, null);
    expect(await refusalOf("ctx.env.set('APP_MORE', 'x')", scope())).toBeNull();
    expect(await settings().list(of)).toHaveLength(200);
  });

  it('are listed by name, with their values', async () => {
    const { workspaceId: of } = await otherWorkspace(app);
    await resultOf("await ctx.env.set('APP_B', '2'); await ctx.env.set('APP_A', '1')", scopeOf(['env'], of));
    expect(await settings().list(of)).toMatchObject([
      { name: 'APP_A', value: '1' },
      { name: 'APP_B', value: '2' },
    ]);
  });

  it('are not secrets: listEnvVars and deleteEnvVar do not find them', async () => {
    const name = newName();
    await resultOf(`await ctx.env.set('${name}', 'x')`);
    expect((await done(app, 'automations/listEnvVars')).map((one: { name: string }) => one.name)).not.toContain(name);
    expect((await app.call('automations/deleteEnvVar', { name })).body.code).toBe('env-var-not-found');
  });
});
