import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { activeFlow, activeFunction, ranFlow } from '../../support/automations/flows.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let agentKey: string;
beforeAll(async () => {
  app = await sharedApp();
  const agent = await agentWith(app, { canCreateFunctions: true, asks: 'nothing' });
  agentKey = await keyOf(app, { kind: 'agent', agentId: agent.id });
});
afterAll(() => app.close());

let made = 0;
const create = (sent: object, key?: string) =>
  done(app, 'automations/createFunction', { name: `Named ${made++}`, code: 'return 1', ...sent }, key);
const update = (id: string, sent: object, key?: string) => app.call('automations/updateFunction', { id, ...sent }, key);
const open = { accessRules: { runBy: { pages: false, functions: 'any', agents: [] } } };
const coded = async ({ status, body }: Awaited<ReturnType<typeof update>>) => [status, body.code];
const runsOf = async (functionId: string) => done(app, 'automations/listRuns', { functionId });

describe('the name of a function that others run', () => {
  it('cannot be taken over by an agent: neither flows nor functions ever run its code', async () => {
    const charge = await create({ name: 'Charge customer', code: 'return "charged"', ...open });
    await done(app, 'automations/updateFunction', { id: charge.id, isActive: true });
    const flow = await activeFlow(app, [
      { id: 'pay', kind: 'run_function', settings: { function: 'Charge customer', params: { card: '4242-CANARY' } } },
    ]);
    const caller = await activeFunction(app, "return ctx.functions.run('Charge customer', { card: '4242-CANARY' })");

    const helper = await create({ name: 'helper', code: 'return "stolen"', ...open }, agentKey);
    expect((await update(helper.id, { isActive: true }, agentKey)).status).toBe(200);
    const renames = await update(charge.id, { name: 'Charge customer (old)' }, agentKey);
    expect(await coded(renames)).toEqual([403, 'agent-may-not-change']);
    const takes = await update(helper.id, { name: 'Charge customer' }, agentKey);
    expect(await coded(takes)).toEqual([403, 'agent-may-not-change']);

    expect(await ranFlow(app, flow)).toMatchObject({ status: 'success' });
    expect((await done(app, 'automations/invokeFunction', { id: caller })).result).toBe('charged');
    expect(await runsOf(helper.id)).toEqual([]);
    expect(await runsOf(charge.id)).toHaveLength(2);
  });

  it.each(['agent', 'automation', 'flow'])(
    'once it was given up or deleted, can be given by a person, but not by: %s',
    async (kind) => {
      const key = kind === 'agent' ? agentKey : await keyOf(app, { kind });
      for (const gives of ['renames', 'deletes', 'switches off and renames'] as const) {
        const name = `Given up ${made++}`;
        const { id } = await create({ name });
        const other = await create({});
        if (gives === 'deletes') await done(app, 'automations/deleteFunction', { id }, key);
        else await done(app, 'automations/updateFunction', { id, name: `${name} no more` }, key);
        const creates = await app.call('automations/createFunction', { name, code: 'return 2' }, key);
        expect([gives, ...(await coded(creates))]).toEqual([gives, 403, 'function-name-used-before']);
        expect(await coded(await update(other.id, { name }, key))).toEqual([403, 'function-name-used-before']);
        expect((await update(other.id, { name })).body.name).toBe(name);
      }
    },
  );

  it('an agent can rename its own functions and back, while they are inactive', async () => {
    const { id, name } = await create({}, agentKey);
    await done(app, 'automations/updateFunction', { id, name: `${name} b` }, agentKey);
    await done(app, 'automations/updateFunction', { id, name }, agentKey);
    const again = await create({ name: `Fresh ${made++}` }, agentKey);
    expect(again.isActive).toBe(false);
  });

  it('a function that code may call through its tools cannot rename active functions', async () => {
    const target = await activeFunction(app, 'return 1');
    const sent = `{ id: '${target}', name: 'Renamed by code' }`;
    const call = `ctx.connections.call('service', 'automations_updateFunction', ${sent})`;
    const fn = await create({
      code: `try { return await ${call} } catch (error) { return error.code }`,
      grants: { serviceTools: ['automations_updateFunction'] },
    });
    const { result } = await done(app, 'automations/invokeFunction', { id: fn.id });
    expect(result).toBe('automation-may-not-change');
  });
});

describe('a name that looks like an id', () => {
  it('cannot be given', async () => {
    const { id } = await create({});
    const formOf = (prefix: string) => id.replace('fn', prefix);
    for (const name of [id, formOf('flow'), formOf('agent'), id.toUpperCase(), ` ${id}`]) {
      const creates = await app.call('automations/createFunction', { name });
      expect([name, creates.status, creates.body.errors?.[0]?.path]).toEqual([name, 400, 'name']);
      const renames = await update(id, { name });
      expect([name, renames.status, renames.body.errors?.[0]?.path]).toEqual([name, 400, 'name']);
    }
    await create({ name: 'fn_orders' });
  });
});
