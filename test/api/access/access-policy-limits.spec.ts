// Second tier.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
let count = 0;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app?.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: `Limits ${count++}` })).id;
});

const signedIn = { type: 'authenticated' };
const property = (value: string) => ({ type: 'user_property', property: 'a', operator: 'eq', value });
const ruleOf = (characters: number) => property('x'.repeat(characters - JSON.stringify(property('')).length));
const listOf = (characters: number) => [ruleOf(100_000), ruleOf(characters - 100_003)];
const policy = async (condition: unknown, name = `Policy ${count++}`): Promise<string> =>
  (await done(app, 'site/createAccessPolicy', { projectId, name, condition })).id;
const list = (): Promise<readonly Record<string, unknown>[]> => done(app, 'site/listAccessPolicies', { projectId });
/** Expects a refusal that names the policy and changes nothing. Returns its status and detail. */
const refused = async (condition: unknown, operation = 'createAccessPolicy', named: object = { projectId }) => {
  const before = await list();
  const { status, body } = await app.call(`site/${operation}`, { ...named, name: 'The Wide One', condition });
  expect(body.detail).toContain("'The Wide One'");
  expect(await list()).toEqual(before);
  return [status, String(body.detail)];
};
const references = (policies: readonly string[]) => policies.map((id) => ({ policy: id }));

describe('a policy that is too large is refused, naming it, and nothing is changed (AC-30, XE-06):', () => {
  it('300,000 characters, and 256,000 of one rule (AC-25)', async () => {
    await policy(listOf(300_000));
    expect(await refused(listOf(300_001))).toEqual([400, expect.stringContaining('at most 300000 characters')]);
    const id = await policy(ruleOf(256_000));
    expect(await refused(ruleOf(256_001))).toEqual([400, expect.stringContaining('at most 256000 characters')]);
    expect(await refused(listOf(300_001), 'updateAccessPolicy', { policyId: id })).toEqual([
      400,
      expect.stringContaining('at most 300000 characters'),
    ]);
  });

  it('a nesting of 16 policies (AC-26)', async () => {
    let last = await policy(signedIn);
    for (let depth = 2; depth <= 16; depth += 1) last = await policy({ policy: last });
    expect(await refused({ policy: last })).toEqual([400, expect.stringContaining('deeper than 16')]);
  });

  it('32 policies behind one rule (AC-27)', async () => {
    const all: string[] = [];
    for (let n = 0; n < 33; n += 1) all.push(await policy(signedIn));
    await policy(references(all.slice(0, 32)));
    expect(await refused(references(all))).toEqual([400, expect.stringContaining('exceeds the 32 policies')]);
    const fn = { projectId, name: 'ruled', code: 'return 1', accessRules: { execute: references(all) } };
    expect((await app.call('site/createBackendFunction', fn)).status).toBe(400);
  });

  it('20,000 parts in expanded form (AC-28)', async () => {
    const hundred = await policy(Array.from({ length: 98 }, (_, n) => property(`v${n}`)));
    // The reference itself and the 99 parts behind it add up to 100 parts.
    const half = await policy(references(Array.from({ length: 99 }, () => hundred)));
    await policy({ any: [{ policy: half }, { policy: half }] });
    expect(await refused({ any: [...references([half, half, hundred, hundred])] })).toEqual([
      400,
      expect.stringContaining('at most 20000 parts'),
    ]);
  });

  it('256 groups inside groups in expanded form (AC-28)', async () => {
    const nested = (depth: number, inner: unknown): unknown =>
      Array.from({ length: depth }).reduce((condition) => ({ not: condition }), inner);
    const tooMany = [400, expect.stringContaining('at most 256 groups inside groups')];
    const deep = await policy(nested(200, signedIn));
    await policy(nested(57, { policy: deep }));
    expect(await refused(nested(58, { policy: deep }))).toEqual(tooMany);
    const four = await policy({ all: [{ not: signedIn }, { any: [{ not: signedIn }] }] });
    await policy({ any: references(Array(64).fill(four)) });
    expect(await refused({ any: references(Array(65).fill(four)) })).toEqual(tooMany);
    const beside = (count: number) => ({ any: Array.from({ length: count }, () => ({ not: signedIn })) });
    await policy(beside(256));
    expect(await refused(beside(257))).toEqual(tooMany);
    const rules = (count: number) => ({ projectId, name: `Ruled ${count}`, accessRules: { execute: beside(count) } });
    await done(app, 'site/createBackendFunction', { ...rules(256), code: 'return 1' });
    const { status, body } = await app.call('site/createBackendFunction', { ...rules(257), code: 'return 1' });
    expect([status, body.errors]).toEqual([
      400,
      [{ path: 'accessRules.execute.any[256].not', message: 'must have at most 256 groups inside groups' }],
    ]);
  });

  it('4,000,000 characters of values in expanded form (AC-28)', async () => {
    const long = await policy(ruleOf(200_000));
    await policy(references(Array.from({ length: 20 }, () => long)));
    expect(await refused(references(Array.from({ length: 21 }, () => long)))).toEqual([
      400,
      expect.stringContaining('at most 4000000 characters of values'),
    ]);
  });

  it('200 policies a site (AC-29)', async () => {
    await Promise.all(Array.from({ length: 10 }, () => policy(signedIn)));
    for (let n = 10; n < 200; n += 1) await policy(signedIn);
    expect(await refused(signedIn)).toEqual([409, expect.stringContaining('at most 200 policies')]);
    const [first] = await list();
    await done(app, 'site/deleteAccessPolicy', { policyId: first?.['id'] });
    const racing = Array.from({ length: 5 }, (_, n) =>
      app.call('site/createAccessPolicy', { projectId, name: `Racing ${n}`, condition: signedIn }),
    );
    const statuses = (await Promise.all(racing)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await list()).toHaveLength(200);
  }, 120_000);

  it('2,000,000 characters a site; existing policies may still be made smaller (AC-29)', async () => {
    const all: string[] = [];
    for (let n = 0; n < 7; n += 1) all.push(await policy(ruleOf(250_000)));
    all.push(await policy(ruleOf(249_000)));
    await policy(ruleOf(1_000));
    const id = String(all[0]);
    expect(await refused(signedIn)).toEqual([409, expect.stringContaining('2000000 characters')]);
    expect(await refused(ruleOf(250_001), 'updateAccessPolicy', { policyId: id })).toEqual([
      409,
      expect.stringContaining('2000000 characters'),
    ]);
    await done(app, 'site/updateAccessPolicy', { policyId: id, condition: ruleOf(249_000) });
    await policy(ruleOf(1_000));
  });
});

describe('an edit that would push another policy over a limit', () => {
  it('is refused, naming the other policy (Q-S58)', async () => {
    const inner = await policy(signedIn, 'Inner');
    const outer = await policy(references(Array.from({ length: 21 }, () => inner)), 'Outer');
    const { status, body } = await app.call('site/updateAccessPolicy', {
      policyId: inner,
      condition: ruleOf(200_000),
    });
    expect([status, body.code, body.resource]).toEqual([
      409,
      'policy-breaks',
      { kind: 'access policy', id: outer, name: 'Outer', operation: 'own' },
    ]);
    expect(body.detail).toContain("'Inner'");
  });
});

describe('a recorded policy beyond the limits', () => {
  it('is listed without its condition, with its size and a note, and admits nobody (AC-31)', async () => {
    const fine = await policy(signedIn, 'Fine');
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const condition = listOf(300_001);
    const metadata = {
      workspaceId,
      actor: { kind: 'person', id: 'mem_1', name: 'Ada' } as const,
      correlationId: 'c',
      causationId: null,
      commandId: 'c',
      operation: 'site/createAccessPolicy',
      at: new Date().toISOString(),
    };
    const data = { policyId: 'pol_old', name: 'Old', description: null, color: null, condition };
    await app.app.get(EventStore).append([
      {
        stream: streamOf('accessPolicies', workspaceId, projectId),
        expected: 'any',
        events: [{ id: randomUUID(), type: 'AccessPolicyCreated', data, metadata }],
      },
    ]);
    const listed = await eventually(list, (found) => found.length === 2);
    expect(listed).toEqual([
      expect.objectContaining({ id: fine, condition: signedIn }),
      {
        id: 'pol_old',
        name: 'Old',
        description: null,
        color: null,
        condition: null,
        size: 300_001,
        note: expect.stringContaining('300000'),
      },
    ]);
    await done(app, 'site/updateAccessPolicy', { policyId: 'pol_old', name: 'Older' });
    await done(app, 'site/updateAccessPolicy', { policyId: 'pol_old', condition: signedIn });
    expect((await list())[1]).toEqual(expect.objectContaining({ name: 'Older', condition: signedIn }));
  });
});
