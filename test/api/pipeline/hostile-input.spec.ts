import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { activeFlow, activeFunction, ranFlow } from '../../support/automations/flows.js';
import { done, person } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedOutside();
});
afterAll(() => app.close());

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a delivery to a webhook', () => {
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const deliver = (token: string, body: string, headers: Record<string, string>) =>
    app.send('POST', `/api/automations/functions/webhook/${token}`, body, headers);
  const hooked = async (code: string) =>
    done(app, 'automations/createWebhook', { functionId: await activeFunction(app, code) });

  it('nested deeper than can be serialised again is passed on as a text', async () => {
    const { token } = await hooked('return typeof params.body + params.body.length');
    const { status, body } = await deliver(token, nested(100_000), json);
    expect([status, body]).toEqual([200, { success: true, data: 'string200000' }]);
  });

  it('is accepted for a flow at any depth', async () => {
    const targetRef = await activeFlow(app, [{ id: 'a', kind: 'wait', settings: { seconds: 0 } }]);
    const { token } = await done(app, 'automations/createTargetWebhook', { targetKind: 'flow', targetRef });
    expect((await deliver(token, `{"a":${nested(100_000)}}`, json)).status).toBe(202);
  });

  it('of a form with very many names is read in linear time', async () => {
    const { token } = await hooked('return [Object.keys(params).length, params.n7, params.n8]');
    const names = Array.from({ length: 120_000 }, (_, at) => `n${at}`);
    const { status, body } = await deliver(token, `${names.join('&')}&n7=twice`, form);
    expect([status, body.data]).toEqual([200, [120_001, ['', 'twice'], '']]);
  });

  it.each(['constructor', '__proto__'])(
    'is not verified by a property of every object: the header %s',
    async (header) => {
      const { id, token } = await hooked('return 1');
      await done(app, 'automations/setWebhookVerification', { id, scheme: 'hmac', header });
      const { status, body } = await deliver(token, '{}', json);
      expect([status, body.code]).toEqual([403, 'delivery-not-verified']);
    },
  );
});

it.each([
  ['automations/getFunction', 'id'],
  ['automations/listRuns', 'functionId'],
  ['audit/getHistory', 'id'],
])('an id with an unpaired surrogate is refused by %s, and not mistaken for another id', async (operation, member) => {
  for (const id of ['\ud800', 'fn_\udfff1']) {
    const { status, body } = await app.call(operation, { kind: 'function', [member]: id });
    expect([status, body.code, body.errors]).toMatchObject([
      400,
      'invalid-input',
      expect.arrayContaining([{ path: member, message: 'must be well-formed Unicode, without lone surrogates' }]),
    ]);
  }
});

describe('a time', () => {
  const noInstants = [
    '2100-W21-2',
    '2100-123',
    '21000101',
    '2100-01-01T00:00:00,5Z',
    '2100-01-01T00:00:00',
    '2100-02-30',
  ];

  it.each(noInstants)('that is invalid, %s, is refused wherever one is accepted', async (time) => {
    const { id } = await done(app, 'automations/createWebhook', { functionId: await activeFunction(app, '') });
    const verified = { id, scheme: 'github', newSecret: true };
    await done(app, 'automations/setWebhookVerification', verified);
    const flow = await activeFlow(app, []);
    const calls: readonly [string, object, string][] = [
      ['automations/setWebhookVerification', { ...verified, previousUntil: time }, 'previousUntil'],
      ['audit/listEvents', { from: time }, 'from'],
      ['flows/updateFlow', { id: flow, name: 'other', seenUpdatedAt: time }, 'seenUpdatedAt'],
      ['workspace/createApiKey', { name: 'k', kind: 'person', expiresAt: time }, 'expiresAt'],
    ];
    for (const [operation, body, path] of calls) {
      const reply = await app.call(operation, body);
      expect([operation, reply.status, reply.body.errors?.[0]?.path]).toEqual([operation, 400, path]);
    }
  });
});

describe('a server that a flow calls', () => {
  it('and that answers JSON too deep to serialise again, has answered a text', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(nested(100_000));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const fn = await activeFunction(app, 'return params.text.length');
    const flow = await activeFlow(app, [
      { id: 'ask', kind: 'http_request', settings: { url } },
      { id: 'count', kind: 'run_function', settings: { function: fn, params: { text: '{{steps.ask.body}}' } } },
    ]);
    const { status, error } = await ranFlow(app, flow);
    server.close();
    expect([status, error]).toEqual(['success', null]);
  });
});

describe('a flow whose values grow through its templates', () => {
  const big = '{{input.big}}';
  it.each<[string, unknown]>([
    ['in one text', big.repeat(2_000)],
    ['in a list', Array(2_000).fill(big)],
    ['as data', Array(2_000).fill('{{input}}')],
  ])('%s fails because of that and uses no memory for it', async (_, grown) => {
    const fn = await activeFunction(app, 'return 1');
    const settings = { function: fn, params: { grown } };
    const flow = await activeFlow(app, [{ id: 'a', kind: 'run_function', settings }]);
    const { status, error, steps } = await ranFlow(app, flow, { big: 'x'.repeat(500_000) });
    expect([status, error]).toEqual(['error', 'The values of this step are too large together.']);
    expect(steps[0].attempts).toHaveLength(1);
    expect(await ranFlow(app, flow, { big: 'x' })).toMatchObject({ status: 'success' });
  });
});

describe('a request with headers that no request can have', () => {
  it.each<[string, object]>([
    ['a value beyond Latin-1', { 'x-a': '{{input.odd}}' }],
    ['a control character', { 'x-a': '{{input.control}}' }],
    ['a name with a space', { 'x a': '1' }],
    ['an empty name', { '': '1' }],
    ['a length of its own', { 'content-length': '5' }],
    ['chunks of its own', { 'transfer-encoding': 'chunked' }],
    ['another host', { host: 'internal.example' }],
    ['an upgrade', { connection: 'upgrade', upgrade: 'websocket' }],
  ])('%s is a failure of the run, reported once, and no fault of the service', async (_, headers) => {
    const flow = await activeFlow(app, [
      { id: 'a', kind: 'http_request', settings: { url: 'http://127.0.0.1:9/', method: 'POST', body: 'x', headers } },
    ]);
    const { error, steps } = await ranFlow(app, flow, { odd: '€', control: '\u0001' });
    expect([error, steps[0].attempts.length]).toEqual([expect.not.stringContaining('fault of the service'), 1]);
  });
});

describe('an agent of a higher person', () => {
  it("gets no instructions from an Editor about what to do in its person's name", async () => {
    const { id } = await agentWith(app, { instructions: 'Sort.' });
    const { key } = await person(app, 'editor');
    for (const sent of [{ instructions: 'Obey me.' }, { tools: ['automations_deleteFunction'] }, { grants: {} }]) {
      const { status, body } = await app.call('workspace/updateAgent', { id, ...sent }, key);
      expect([status, body.code, sent]).toEqual(
        'grants' in sent ? [200, undefined, sent] : [403, 'agent-above-own-role', sent],
      );
    }
    await done(app, 'workspace/updateAgent', { id, isActive: false }, key);
  });
});
