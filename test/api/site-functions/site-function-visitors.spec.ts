import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { nobody, SiteFunctionsScene, siteUser } from '../../support/sites/site-functions.js';

let app: OutsideApp;
let site: SiteFunctionsScene;
beforeAll(async () => {
  app = await sharedOutside();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app);
});

const everybody = { type: 'public', scope: 'everywhere' };
const rules = (execute: unknown, runBy?: object) => ({ accessRules: { execute, ...(runBy ? { runBy } : {}) } });

describe('execute', () => {
  it('no rules deny every visitor; a signed-in one learns that none are configured', async () => {
    await site.create('closed', 'return 1');
    await site.create('empty', 'return 1', rules([]));
    for (const name of ['closed', 'empty']) {
      expect(await site.visit(name, { visitor: nobody })).toBe('execute-refused');
      expect(await site.visit(name, { visitor: siteUser() })).toBe('no-access-rules');
    }
    expect(await site.runs()).toEqual([]);
  });

  it.each([
    ['everybody', everybody, [1, 1]],
    ['signed-in users', { type: 'authenticated' }, ['execute-refused', 1]],
    ['a property', { type: 'user_property', property: 'plan', operator: 'eq', value: 'basic' }, ['execute-refused', 1]],
    ['neither', { not: everybody }, ['execute-refused', 'execute-refused']],
  ])('admits %s', async (_, execute, [anonymous, signedIn]) => {
    await site.create('ruled', 'return 1', rules(execute));
    expect(await site.visit('ruled')).toEqual(anonymous);
    expect(await site.visit('ruled', { visitor: siteUser({ roleIds: ['role_1'] }) })).toEqual(signedIn);
  });

  it('admits users with the role only', async () => {
    const role = async (name: string) =>
      (await done(app, 'site/createProjectRole', { projectId: site.projectId, name })).id;
    const [staff, others] = [await role('Staff'), await role('Others')];
    await site.create('ruled', 'return 1', rules({ type: 'has_role', roleId: staff }));
    expect(await site.visit('ruled')).toBe('execute-refused');
    expect(await site.visit('ruled', { visitor: siteUser({ roleIds: [staff] }) })).toBe(1);
    expect(await site.visit('ruled', { visitor: siteUser({ roleIds: [others] }) })).toBe('execute-refused');
  });

  it('an inactive function denies everyone: target is INACTIVE', async () => {
    const fn = await site.create('ruled', 'return 1', rules(everybody));
    await site.update(fn.id, { isActive: false });
    expect(await site.visit('ruled')).toBe('target-inactive');
  });

  it('an unknown name is refused like a function that denies everyone', async () => {
    expect(await site.visit('nothing')).toBe('execute-refused');
  });
});

describe('runBy', () => {
  it('by default lets visitors of any page start it, but no function and no agent', async () => {
    const { accessRules } = await site.create('open', 'return 1', rules(everybody));
    expect(accessRules.runBy).toEqual({ pages: 'any', functions: [], agents: [] });
    expect(await site.visit('open')).toBe(1);
  });

  it('pages name the pages whose visitors may', async () => {
    await site.create('paged', 'return 1', rules(everybody, { pages: ['page_1'] }));
    expect(await site.visit('paged', { pageId: 'page_1' })).toBe(1);
    expect(await site.visit('paged', { pageId: 'page_2' })).toBe('execute-refused');
    expect(await site.visit('paged')).toBe('execute-refused');
  });
});

describe('ctx.user', () => {
  it('is the site user, without other known facts', async () => {
    await site.create('who', 'return ctx.user', rules(everybody));
    expect(await site.visit('who', { visitor: siteUser({ roleIds: ['role_1'] }) })).toEqual({
      id: 'user_1',
      email: 'ada@example.com',
      name: 'Ada',
      roleIds: ['role_1'],
      customFields: { plan: 'basic' },
    });
  });

  it('is null for anonymous visitors, and for calls of the owner', async () => {
    await site.create('who', 'return [ctx.user, ctx.run.startedBy.kind]', rules(everybody));
    expect(await site.visit('who')).toEqual([null, 'visitor']);
    expect(await site.result('who')).toEqual([null, 'member']);
  });
});

describe('a function used as access rule', () => {
  const gated = (functionId: string) => rules({ type: 'function', functionId });

  it('admits users for whom it returns true, and gets the user and the resource', async () => {
    const gate = await site.createGate(
      'gate',
      "return params.user?.customFields.plan === 'gold' && params.resource.name === 'gated'",
    );
    await site.create('gated', 'return 1', gated(gate.id));
    expect(await site.visit('gated', { visitor: siteUser({ plan: 'gold' }) })).toBe(1);
    expect(await site.visit('gated', { visitor: siteUser() })).toBe('execute-refused');
    expect(await site.visit('gated')).toBe('execute-refused');
  });

  it.each([
    ['answers something else', 'return "yes"'],
    ['throws', 'throw new Error("broken")'],
    ['takes too long', 'await new Promise((resolve) => setTimeout(resolve, 60_000)); return true'],
  ])('that %s denies everyone, even under not', async (_, code) => {
    const gate = await site.createGate('gate', code);
    await site.create('gated', 'return 1', gated(gate.id));
    await site.create('inverted', 'return 1', rules({ not: { type: 'function', functionId: gate.id } }));
    // The service waits two seconds for a gate function.
    const visited = (name: string) => app.clock.hasten(() => site.visit(name));
    expect(await visited('gated')).toBe('execute-refused');
    expect(await visited('inverted')).toBe('execute-refused');
    const runs = await eventually(
      () => site.runs({ functionId: gate.id }),
      ({ length }) => length === 2,
      30_000,
    );
    expect(runs.map(({ source, status }: Record<string, string>) => [source, status])).toEqual([
      ['gate', 'error'],
      ['gate', 'error'],
    ]);
  });

  it('stores no run for its answer, true or false', async () => {
    const gate = await site.createGate('gate', 'return params.user !== null');
    await site.create('gated', 'return 1', gated(gate.id));
    await site.visit('gated');
    await site.visit('gated', { visitor: siteUser() });
    expect(await site.runs({ functionId: gate.id })).toEqual([]);
  });

  it('that is inactive or deleted denies everyone', async () => {
    const gate = await site.createGate('gate', 'return true');
    await site.create('gated', 'return 1', gated(gate.id));
    await site.update(gate.id, { isActive: false });
    expect(await site.visit('gated')).toBe('execute-refused');
    await done(app, 'site/deleteBackendFunction', { projectId: site.projectId, functionId: gate.id });
    expect(await site.visit('gated')).toBe('execute-refused');
  });

  it('is asked again when it was changed', async () => {
    const gate = await site.createGate('gate', 'return false');
    await site.create('gated', 'return 1', gated(gate.id));
    expect(await site.visit('gated')).toBe('execute-refused');
    await site.update(gate.id, { code: 'return true' });
    expect(await site.visit('gated')).toBe(1);
  });

  it('of another site, or unknown, is refused on save, by name', async () => {
    const other = await SiteFunctionsScene.of(app, 'Other');
    const { id } = await other.create('gate', 'return true');
    for (const functionId of [id, 'fn_none']) {
      const sent = { projectId: site.projectId, name: 'gated', code: 'return 1', ...gated(functionId) };
      const { status, body } = await app.call('site/createBackendFunction', sent);
      expect([status, body.errors[0].path]).toEqual([400, 'accessRules.execute.functionId']);
      expect(body.detail).toContain(functionId);
    }
  });

  it('cannot lead back to itself: such a rule is refused on save', async () => {
    const first = await site.create('first', 'return true');
    const second = await site.create('second', 'return true', gated(first.id));
    const update = (functionId: string, body: object) =>
      app.call('site/updateBackendFunction', { projectId: site.projectId, functionId, ...body });
    const { status, body } = await update(first.id, gated(second.id));
    expect([status, body.code]).toEqual([400, 'gate-chain']);
    expect((await update(first.id, gated(first.id))).body.code).toBe('gate-chain');
  });

  it('may be nested four deep at most', async () => {
    let last = await site.createGate('gate 0', 'return true');
    for (let n = 1; n <= 4; n++) last = await site.create(`gate ${n}`, 'return true', gated(last.id));
    expect(await site.visit('gate 4')).toBe(true);
    const { body } = await app.call('site/createBackendFunction', {
      projectId: site.projectId,
      name: 'gate 5',
      code: 'return true',
      ...gated(last.id),
    });
    expect(body.code).toBe('gate-chain');
  });

  it("cannot become too long through another function's rule: that save is refused", async () => {
    const update = (functionId: string, body: object) =>
      app.call('site/updateBackendFunction', { projectId: site.projectId, functionId, ...body });
    const below = [await site.create('below 0', 'return true')];
    for (const n of [1, 2]) below.push(await site.create(`below ${n}`, 'return true', gated(below[n - 1].id)));
    const middle = await site.create('middle', 'return true');
    const asking = await site.create('asking', 'return true', gated(middle.id));
    await site.create('top', 'return true', gated(asking.id));
    const { status, body } = await update(middle.id, gated(below[2].id));
    expect([status, body.code]).toEqual([400, 'gate-chain']);
    expect(body.detail).toContain("the execute rule of 'top'");
    expect(body.detail).toContain('asking → middle → below 2 → below 1 → below 0');
    expect((await update(middle.id, gated(below[1].id))).status).toBe(200);
    expect(await site.visit('top')).toBe(true);
  });
});
