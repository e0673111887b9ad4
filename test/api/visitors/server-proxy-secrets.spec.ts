import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { done, keyOf, person } from '../../support/people.js';
import { brief, ProxyScene, secretValue as value } from '../../support/sites/proxy-scene.js';

const scene = new ProxyScene();
beforeAll(() => scene.start());
afterAll(() => scene.app.close());
beforeEach(() => scene.begin());
afterEach(() => scene.end());

const bearer = { headers: { Authorization: 'Bearer {{secret:API_KEY}}' } };
const elsewhere = (more: object = bearer) => ({ ...more, url: scene.at('/', 'other.test') });
const authorization = () => scene.last?.headers.authorization;
const nothingSent = () => expect(scene.server.seen).toEqual([]);
const errorOf = ({
  status,
  body,
}: {
  status: number;
  body: { code?: string; detail?: string; errors?: { path: string }[] };
}) => [status, body.code, body.detail ?? '', body.errors?.[0]?.path];

describe('{{secret:NAME}} (PX-01)', () => {
  it.each([
    ['a visitor', (body: object) => scene.visitor(body)],
    ['the owner', (body: object) => scene.member(body)],
  ])('is filled in for %s in the address, in headers and in bodies, with the right encoding', async (_, send) => {
    await scene.secret('API_KEY');
    await send({
      url: scene.at('/{{secret:API_KEY}}?key={{secret:API_KEY}}&x=1'),
      method: 'POST',
      headers: { 'X-Two': '{{secret:API_KEY}} and {{secret:API_KEY}}' },
      body: { nested: [{ key: 'a {{secret:API_KEY}} b' }] },
    });
    const encoded = encodeURIComponent(value);
    expect(scene.last?.path).toBe(`/${encoded}?key=${encoded}&x=1`);
    expect(scene.last?.headers['x-two']).toBe(`${value} and ${value}`);
    expect(JSON.parse(scene.last?.body ?? '')).toEqual({ nested: [{ key: `a ${value} b` }] });
    const type = 'application/x-www-form-urlencoded';
    await send({ method: 'POST', headers: { 'Content-Type': type }, body: 'key={{secret:API_KEY}}' });
    expect(new URLSearchParams(scene.last?.body).get('key')).toBe(value);
    await send({ method: 'POST', headers: { 'Content-Type': 'application/xml' }, body: '<k>{{secret:API_KEY}}</k>' });
    expect(scene.last?.body).toBe(`<k>${value}</k>`);
  });

  it('is allowed a hundred times in one request', async () => {
    await scene.secret('API_KEY');
    const text = '{{secret:API_KEY}}'.repeat(100);
    expect((await scene.visitor({ method: 'POST', body: text })).status).toBe(200);
    expect(scene.last?.body).toBe(value.repeat(100));
    const more = await scene.visitor({ method: 'POST', headers: { 'X-A': '{{secret:API_KEY}}' }, body: text });
    expect(errorOf(more)).toEqual([400, 'invalid-input', expect.any(String), 'body']);
    expect(scene.server.seen).toHaveLength(1);
  });

  it.each([
    ['a visitor', (body: object) => scene.visitor(body)],
    ['the owner', (body: object) => scene.member(body)],
  ])('of an unknown name is refused by name, for %s', async (_, send) => {
    await done(scene.app, 'site/createEnvVar', {
      projectId: scene.site.projectId,
      name: 'APP_COLOR',
      value: 'blue',
      isSecret: false,
    });
    for (const name of ['MISSING', 'APP_COLOR', 'no name', '']) {
      const reply = errorOf(await send({ headers: { 'X-A': `{{secret:${name}}}` } }));
      expect(reply).toEqual([
        400,
        'proxy-secret-unknown',
        expect.stringContaining(`{{secret:${name}}}`),
        'headers.X-A',
      ]);
    }
    expect(errorOf(await send({ url: scene.at('/?a={{secret:MISSING}}') }))[3]).toBe('url');
    expect(errorOf(await send({ method: 'POST', body: { a: '{{secret:MISSING}}' } }))[3]).toBe('body');
    nothingSent();
  });

  it('goes to no other host, and no secret may be part of the host', async () => {
    await scene.secret('API_KEY', { value: 'api.test' });
    for (const url of [
      'http://{{secret:API_KEY}}/',
      'http://{{secret:API_KEY}}.api.test/',
      'http://{{secret:API_KEY}}@api.test/',
      '{{secret:API_KEY}}://api.test/',
    ]) {
      expect([url, (await scene.member({ url })).status]).toEqual([url, 400]);
      expect([url, (await scene.visitor({ url })).status]).toEqual([url, 400]);
    }
    nothingSent();
  });

  it('cannot begin another header', async () => {
    await scene.secret('API_KEY', { value: `${value}\r\nX-Injected: 1` });
    expect(brief(await scene.visitor(bearer))).toEqual([400, 'proxy-request-refused']);
    nothingSent();
  });

  it('of the payment processor is never filled in (Q-S109)', async () => {
    await scene.secret('PAYMENT_TEST_SECRET_KEY', { value: 'sk_test_abcdefghijklmnop' });
    for (const send of [scene.visitor.bind(scene), (body: object) => scene.member(body)]) {
      const [status, code, detail] = errorOf(await send({ headers: { 'X-A': '{{secret:PAYMENT_TEST_SECRET_KEY}}' } }));
      expect([status, code, detail]).toEqual([
        403,
        'proxy-secret-denied',
        expect.stringContaining('PAYMENT_TEST_SECRET_KEY'),
      ]);
    }
    nothingSent();
  });

  it('is plain text in bytes, and no value creates another placeholder', async () => {
    await scene.secret('API_KEY', { value: '{{secret:OTHER}} $& long enough to be no guess' });
    await scene.visitor({
      method: 'POST',
      body: Buffer.from('{{secret:API_KEY}}').toString('base64'),
      encoding: 'base64',
    });
    expect(scene.last?.body).toBe('{{secret:API_KEY}}');
    await scene.visitor({ method: 'POST', body: '{{secret:API_KEY}}' });
    expect(scene.last?.body).toBe('{{secret:OTHER}} $& long enough to be no guess');
  });
});

describe('the allowed hosts of a secret', () => {
  it('bind visitors, who cannot use a secret without any (EN-01)', async () => {
    await scene.secret('API_KEY');
    expect((await scene.visitor(bearer)).status).toBe(200);
    expect(authorization()).toBe(`Bearer ${value}`);
    const [status, code, detail] = errorOf(await scene.visitor(elsewhere()));
    expect([status, code, detail]).toEqual([403, 'proxy-secret-denied', expect.stringMatching(/API_KEY.*other\.test/)]);
    await scene.secret('OPEN', { allowedHosts: [] });
    expect(brief(await scene.visitor({ headers: { 'X-A': '{{secret:OPEN}}' } }))).toEqual([403, 'proxy-secret-denied']);
    expect(scene.server.seen.length).toBe(1);
  });

  it('bind the owner if there are any, and otherwise do not (EN-01, Q-S109)', async () => {
    await scene.secret('API_KEY');
    expect((await scene.member(bearer)).status).toBe(200);
    expect(brief(await scene.member(elsewhere()))).toEqual([403, 'proxy-secret-denied']);
    await scene.secret('OPEN', { allowedHosts: [] });
    const open = { headers: { 'X-A': '{{secret:OPEN}}' } };
    expect((await scene.member(elsewhere(open))).status).toBe(200);
    expect(scene.last?.headers['x-a']).toBe(value);
    const admin = await person(scene.app, 'admin');
    expect((await scene.member(open, admin.key)).status).toBe(200);
  });

  it('bind every other caller, and a secret without any is never sent (Q-S109)', async () => {
    await scene.secret('API_KEY');
    await scene.secret('OPEN', { allowedHosts: [] });
    const editor = await person(scene.app, 'editor');
    const agent = await done(scene.app, 'workspace/addAgent', { name: 'Ada' });
    const keys = {
      editor: editor.key,
      agent: await keyOf(scene.app, { kind: 'agent', agentId: agent.id }),
      automation: await keyOf(scene.app, { kind: 'automation' }),
      connection: await keyOf(scene.app, { kind: 'connection' }),
    };
    for (const [kind, key] of Object.entries(keys)) {
      const open = await scene.member({ headers: { 'X-A': '{{secret:OPEN}}' } }, key);
      expect([kind, ...brief(open)]).toEqual([kind, 403, 'proxy-secret-denied']);
      expect([kind, ...brief(await scene.member(elsewhere(), key))]).toEqual([kind, 403, 'proxy-secret-denied']);
      expect([kind, (await scene.member(bearer, key)).status]).toEqual([kind, 200]);
    }
    expect(scene.server.seen.length).toBe(4);
  });
});

describe('useRules', () => {
  it('restrict the visitors that a secret serves', async () => {
    const { id } = await scene.secret('API_KEY');
    await done(scene.app, 'site/updateEnvVar', { id, useRules: [{ type: 'authenticated' }] });
    const [status, code, detail] = errorOf(await scene.visitor(bearer));
    expect([status, code, detail]).toEqual([403, 'proxy-secret-denied', expect.stringContaining('API_KEY')]);
    nothingSent();
    await scene.site.user('ada@example.org');
    expect((await scene.visitor(bearer, await scene.site.logIn('ada@example.org'))).status).toBe(200);
    expect((await scene.member(bearer)).status).toBe(200);
  });
});

describe('a redirect', () => {
  it('gets no secret at another host, even an allowed one (Q-S108)', async () => {
    await scene.secret('API_KEY', { allowedHosts: ['api.test', 'other.test'] });
    scene.answer = ({ headers }) =>
      headers.host?.startsWith('api.')
        ? { status: 307, headers: { Location: scene.at('/', 'other.test') } }
        : { body: 'x' };
    const sent = {
      ...bearer,
      method: 'POST',
      body: 'key={{secret:API_KEY}}',
      url: scene.at('/?key={{secret:API_KEY}}'),
    };
    for (const send of [scene.visitor.bind(scene), (body: object) => scene.member(body)]) {
      expect((await send(sent)).body).toMatchObject({ status: 200, body: 'x' });
      expect(JSON.stringify(scene.last)).not.toMatch(/sk_live|cs[0-9a-f]{36}/);
      expect([authorization(), scene.last?.body]).toEqual([undefined, '']);
    }
  });

  it('that would take a secret to another host is not followed', async () => {
    await scene.secret('API_KEY');
    scene.answer = () => ({
      status: 302,
      headers: { Location: scene.at(`/?${encodeURIComponent(value)}`, 'other.test') },
    });
    const reply = await scene.visitor(bearer);
    expect(brief(reply)).toEqual([403, 'proxy-secret-denied']);
    expect(reply.body.detail).not.toContain(value);
    expect(scene.server.seen.length).toBe(1);
  });
});

describe('answers', () => {
  it('hide every secret of the workspace, as answers to code do', async () => {
    await scene.secret('API_KEY');
    await done(scene.app, 'automations/setEnvVar', { name: 'OTHER', value: 'another-secret-of-the-workspace' });
    const base64 = Buffer.from(value).toString('base64');
    scene.answer = ({ headers }) => ({
      headers: { 'X-Echo': String(headers.authorization) },
      body: `${headers.authorization} ${base64} another-secret-of-the-workspace`,
    });
    for (const send of [scene.visitor.bind(scene), (body: object) => scene.member(body)]) {
      const { body } = await send(bearer);
      expect(body).toMatchObject({ status: 200, body: 'Bearer *** *** ***' });
      expect(body.headers['x-echo']).toBe('Bearer ***');
    }
    scene.answer = () => ({ body: Buffer.concat([Buffer.from([0xff]), Buffer.from(value)]) });
    const bytes = Buffer.from((await scene.visitor(bearer)).body.body, 'base64');
    expect(bytes.toString('latin1')).toBe('\xff***');
  });

  it('that show a guessable secret are withheld, and after three in an hour none is requested', async () => {
    await scene.secret('PIN', { value: '4711' });
    scene.answer = ({ headers }) => ({ body: `the pin is ${headers['x-pin']}` });
    const pin = { headers: { 'X-Pin': '{{secret:PIN}}' } };
    for (let n = 0; n < 4; n += 1) expect(brief(await scene.visitor(pin))).toEqual([403, 'proxy-secret-shown']);
    expect(scene.server.seen.length).toBe(3);
    expect((await scene.visitor()).status).toBe(200);
    scene.answer = () => ({ body: 'fine' });
    expect((await scene.member(pin)).status).toBe(200);
  });

  it('that show a guessable secret three times in an hour withhold answers still on their way', async () => {
    await scene.secret('PIN', { value: '4711' });
    const pin = { headers: { 'X-Pin': '{{secret:PIN}}' } };
    const arrived = Promise.withResolvers<void>();
    const shown = Promise.withResolvers<void>();
    scene.answer = async () => {
      if (scene.server.seen.length === 2) arrived.resolve();
      await shown.promise;
      return { body: 'not the pin' };
    };
    const late = [scene.visitor(pin), scene.visitor()];
    await arrived.promise;
    scene.answer = ({ headers }) => ({ body: `the pin is ${headers['x-pin']}` });
    for (let n = 0; n < 3; n += 1) expect((await scene.visitor(pin)).status).toBe(403);
    shown.resolve();
    expect((await Promise.all(late)).map(brief)).toEqual([
      [403, 'proxy-secret-shown'],
      [200, undefined],
    ]);
  });
});
