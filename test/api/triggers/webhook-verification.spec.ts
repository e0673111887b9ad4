// Engines: one process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Reply, TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done } from '../../support/people.js';
import { sign, signedBy } from '../../support/servers/signed-delivery.js';
import { sharedApp } from '../../support/shared-app.js';
import { sharedStandingTime } from '../../support/shared-outside.js';

/** The clock moves only when a test moves it. Runs on engines use real time instead. */
let clock: MadeUpClock;
let app: TestApp;
beforeAll(async () => {
  if (process.env['TEST_ENGINES']) {
    app = await sharedApp();
    return;
  }
  const standing = await sharedStandingTime(Date.now());
  ({ clock } = standing);
  app = standing;
});
afterAll(() => app.close());

const seconds = () => Math.floor((process.env['TEST_ENGINES'] ? Date.now() : clock.now()) / 1_000);
let made = 0;
async function hooked(code = 'return Math.random()') {
  const fn = await done(app, 'automations/createFunction', { name: `verified ${made++}`, code });
  await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
  const { id, token } = await done(app, 'automations/createWebhook', { functionId: fn.id });
  return { id: id as string, token: token as string, functionId: fn.id as string };
}
const verify = (id: string, scheme: string | null, more: object = {}) =>
  done(app, 'automations/setWebhookVerification', { id, scheme, ...more });
const send = (token: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  app.send('POST', `/api/automations/functions/webhook/${token}`, body, {
    'content-type': 'application/json',
    ...headers,
  });
const runsOf = async (functionId: string) => done(app, 'automations/listRuns', { functionId });
const secret = 'a secret of the sender';
const standardSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"hello":"world"}';

type Signs = (body: string | Uint8Array, at: number, key?: string) => Record<string, string>;
const time = { timestampHeader: 'X-Time', signed: 'timestamp.body' };
const schemes: readonly (readonly [string, string, object, Signs])[] = [
  [
    'standard-webhooks',
    'standard-webhooks',
    { secret: standardSecret },
    (sent, at, key = standardSecret) => signedBy.standard(key, sent, at, `msg_${made++}`),
  ],
  ['github', 'github', { secret }, (sent, _, key = secret) => signedBy.github(key, sent, `guid-${made++}`)],
  ['stripe', 'stripe', { secret }, (sent, at, key = secret) => signedBy.stripe(key, sent, at)],
  [
    'hmac over the body',
    'hmac',
    { secret, header: 'X-Signature', algorithm: 'sha512', encoding: 'base64' },
    (sent, _, key = secret) => ({ 'x-signature': sign(key, 'base64', '', sent, 'sha512') }),
  ],
  [
    'hmac over a time and the body',
    'hmac',
    { secret, header: 'X-Signature', algorithm: 'sha1', encoding: 'base64url', prefix: 'sig=', ...time },
    (sent, at, key = secret) => ({
      'x-time': `${at}`,
      'x-signature': `sig=${sign(key, 'base64url', `${at}.`, sent, 'sha1')}`,
    }),
  ],
];
const timed = schemes.filter(([name]) => !['github', 'hmac over the body'].includes(name));

const refused = ({ status, body: { code, detail } }: Reply) => ({ status, code, detail });
const notVerified = {
  status: 403,
  code: 'delivery-not-verified',
  detail:
    'The delivery is not signed as this webhook requires, so nothing was run; sign the exact bytes that you send, with the current time.',
};

describe.each(schemes)('a webhook with %s', (_, scheme, settings, signs) => {
  let hook: Awaited<ReturnType<typeof hooked>>;
  beforeAll(async () => {
    hook = await hooked('return params');
    await verify(hook.id, scheme, settings);
  });

  it('runs signed deliveries', async () => {
    const { status, body: answer } = await send(hook.token, body, signs(body, seconds()));
    expect([status, answer.success, answer.data.hello]).toEqual([200, true, 'world']);
  });

  it('runs bytes that are not valid UTF-8, as they were signed', async () => {
    const bytes = new Uint8Array([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
    const { status, body: answer } = await send(hook.token, bytes, signs(bytes, seconds()));
    expect([status, answer.data._request.rawBodyEncoding]).toEqual([200, 'base64']);
    const text = Buffer.from(bytes).toString('utf8');
    expect(refused(await send(hook.token, text, signs(bytes, seconds())))).toEqual(notVerified);
  });

  it('gives the same answer for every fault, runs nothing and records no run', async () => {
    const before = (await runsOf(hook.functionId)).length;
    const right = signs(body, seconds());
    const other = scheme === 'standard-webhooks' ? `whsec_${Buffer.alloc(24, 1).toString('base64')}` : 'another secret';
    const wrong = [
      await send(hook.token, body),
      await send(hook.token, `${body} `, right),
      await send(hook.token, body, signs(body, seconds(), other)),
      await send(hook.token, body, Object.fromEntries(Object.keys(right).map((name) => [name, 'nonsense']))),
      await send(hook.token, body, { ...signs(body, seconds(), other), prefer: 'respond-async' }),
    ];
    for (const reply of wrong) {
      expect(refused(reply)).toEqual(notVerified);
      expect(reply.headers.get('x-run-id')).toBeNull();
      expect(Object.keys(reply.body).sort()).toEqual(['code', 'detail', 'requestId', 'status', 'title', 'type']);
    }
    expect(await runsOf(hook.functionId)).toHaveLength(before);
  });

  it('accepts deliveries without waiting in the same way', async () => {
    const later = '{"later":true}';
    const { status } = await send(hook.token, later, { ...signs(later, seconds()), prefer: 'respond-async' });
    expect(status).toBe(202);
  });
});

describe.each(timed)('the time with %s', (_, scheme, settings, signs) => {
  it('may differ by 300 seconds, or by toleranceSeconds', async () => {
    const hook = await hooked();
    const at = seconds();
    const answers = async (away: readonly number[]) => {
      const replies = [];
      for (const one of away) replies.push((await send(hook.token, body, signs(body, at + one))).status);
      return replies;
    };
    await verify(hook.id, scheme, settings);
    expect(await answers([-290, 290, -310, 310])).toEqual([200, 200, 403, 403]);
    await verify(hook.id, scheme, { ...settings, secret: undefined, toleranceSeconds: 30 });
    expect(await answers([-20, 20, -40, 40])).toEqual([200, 200, 403, 403]);
  });
});

describe('the same signed delivery again', () => {
  it.each(timed)(
    '%s: answers the first outcome and runs nothing, whatever else it contains',
    async (_, scheme, settings, signs) => {
      const hook = await hooked();
      await verify(hook.id, scheme, settings);
      const headers = signs(body, seconds());
      const first = await send(hook.token, body, headers);
      const again = await send(hook.token, body, { ...headers, 'idempotency-key': 'another' });
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('x-run-id')).toBe(first.headers.get('x-run-id'));
      expect(await runsOf(hook.functionId)).toHaveLength(1);
    },
  );

  it('standard-webhooks: is recognised by its id if the sender signs it again', async () => {
    const hook = await hooked();
    await verify(hook.id, 'standard-webhooks', { secret: standardSecret });
    const first = await send(hook.token, body, signedBy.standard(standardSecret, body, seconds(), 'evt_1'));
    const again = await send(hook.token, body, signedBy.standard(standardSecret, body, seconds() + 5, 'evt_1'));
    expect(again.body).toEqual(first.body);
    expect(await runsOf(hook.functionId)).toHaveLength(1);
  });

  it('github: is recognised by X-GitHub-Delivery, which GitHub repeats and does not sign', async () => {
    const hook = await hooked();
    await verify(hook.id, 'github', { secret });
    const first = await send(hook.token, body, signedBy.github(secret, body, 'guid'));
    const again = await send(hook.token, body, signedBy.github(secret, body, 'guid'));
    expect(again.body).toEqual(first.body);
    await send(hook.token, body, signedBy.github(secret, body, 'another guid'));
    expect(await runsOf(hook.functionId)).toHaveLength(2);
  });

  it('github: is not recognised by an empty X-GitHub-Delivery', async () => {
    const hook = await hooked();
    await verify(hook.id, 'github', { secret });
    await send(hook.token, body, signedBy.github(secret, body, ''));
    await send(hook.token, body, signedBy.github(secret, body, ''));
    expect(await runsOf(hook.functionId)).toHaveLength(2);
  });

  it('that is no longer valid answers nothing of the first', async () => {
    const hook = await hooked();
    await verify(hook.id, 'github', { secret });
    const headers = signedBy.github(secret, body, 'guid');
    await send(hook.token, body, headers);
    expect(refused(await send(hook.token, '{}', headers))).toEqual(notVerified);
  });
});

describe('two secrets', () => {
  const signs = (key: string) => signedBy.github(key, body, `rotated-${made++}`);
  const statuses = async (token: string, keys: readonly string[]) => {
    const answers = [];
    for (const key of keys) answers.push((await send(token, body, signs(key))).status);
    return answers;
  };
  const secrets = ['the first secret', 'the second secret', 'the third secret'] as const;

  it('are both accepted until the former one is removed', async () => {
    const hook = await hooked();
    await verify(hook.id, 'github', { secret: secrets[0] });
    expect(await statuses(hook.token, secrets)).toEqual([200, 403, 403]);
    const rotated = await verify(hook.id, 'github', { secret: secrets[1] });
    expect(rotated.verification).toMatchObject({ secrets: 2, previousUntil: null });
    expect(await statuses(hook.token, secrets)).toEqual([200, 200, 403]);
    const alone = await verify(hook.id, 'github', { removePrevious: true });
    expect(alone.verification).toMatchObject({ secrets: 1, previousUntil: null });
    expect(await statuses(hook.token, secrets)).toEqual([403, 200, 403]);
  });

  it('are the maximum', async () => {
    const hook = await hooked();
    await verify(hook.id, 'github', { secret: secrets[0] });
    await verify(hook.id, 'github', { secret: secrets[1] });
    const third = { id: hook.id, scheme: 'github', secret: secrets[2] };
    const { status, body: no } = await app.call('automations/setWebhookVerification', third);
    expect([status, no.code, no.detail]).toEqual([
      409,
      'webhook-secrets-full',
      expect.stringContaining('removePrevious'),
    ]);
    expect(await statuses(hook.token, secrets)).toEqual([200, 200, 403]);
    await verify(hook.id, 'github', { secret: secrets[2], removePrevious: true });
    expect(await statuses(hook.token, secrets)).toEqual([403, 403, 200]);
  });

  it('become one when the time of the former one is over', async () => {
    if (process.env['TEST_ENGINES']) return;
    const hook = await hooked();
    await verify(hook.id, 'github', { secret: secrets[0] });
    const previousUntil = new Date(clock.now() + 60_000).toISOString();
    const { verification } = await verify(hook.id, 'github', { secret: secrets[1], previousUntil });
    expect(verification).toMatchObject({ secrets: 2, previousUntil });
    clock.advance(59_999);
    expect(await statuses(hook.token, secrets)).toEqual([200, 200, 403]);
    clock.advance(1);
    expect(await statuses(hook.token, secrets)).toEqual([403, 200, 403]);
    const { webhooks } = await done(app, 'automations/listTriggers', { functionId: hook.functionId });
    expect(webhooks[0].verification).toMatchObject({ secrets: 1, previousUntil: null });
  });
});

describe('a generated secret', () => {
  it.each([
    ['standard-webhooks', /^whsec_[A-Za-z0-9+/]{32}$/],
    ['github', /^[\w-]{32}$/],
    ['stripe', /^[\w-]{32}$/],
  ])('%s: is shown once, and deliveries are verified with it', async (scheme, form) => {
    const hook = await hooked();
    const { secret: shown } = await verify(hook.id, scheme);
    expect(shown).toMatch(form);
    const headers = {
      'standard-webhooks': () => signedBy.standard(shown, body, seconds()),
      github: () => signedBy.github(shown, body),
      stripe: () => signedBy.stripe(shown, body, seconds()),
    }[scheme] as () => Record<string, string>;
    expect((await send(hook.token, body, headers())).status).toBe(200);
    expect(await verify(hook.id, scheme)).not.toHaveProperty('secret');
    const { secret: second, verification } = await verify(hook.id, scheme, { newSecret: true });
    expect([second === shown, form.test(second), verification.secrets]).toEqual([false, true, 2]);
  });

  it('is the same if the call is repeated with its Idempotency-Key', async () => {
    const hook = await hooked();
    const call = () =>
      app.call('automations/setWebhookVerification', { id: hook.id, scheme: 'github' }, undefined, {
        'idempotency-key': 'verify-once',
      });
    const first = await call();
    expect((await call()).body).toEqual(first.body);
    expect(first.body.verification.secrets).toBe(1);
  });

  it('is not answered if the secret was given', async () => {
    const hook = await hooked();
    expect(await verify(hook.id, 'github', { secret })).not.toHaveProperty('secret');
  });
});

describe('scheme null', () => {
  it('removes the verification, and every delivery runs again', async () => {
    const hook = await hooked();
    await verify(hook.id, 'github', { secret });
    expect((await send(hook.token, body)).status).toBe(403);
    expect(await verify(hook.id, null)).toEqual({ verification: null });
    expect((await send(hook.token, body)).status).toBe(200);
    expect(await verify(hook.id, null)).toEqual({ verification: null });
  });
});

describe('listTriggers and listAllWebhooks', () => {
  it.each([
    [
      'standard-webhooks',
      {},
      {
        header: 'webhook-signature',
        encoding: 'base64',
        prefix: 'v1,',
        timestampHeader: 'webhook-timestamp',
        signed: 'id.timestamp.body',
        toleranceSeconds: 300,
      },
    ],
    [
      'github',
      {},
      {
        header: 'X-Hub-Signature-256',
        encoding: 'hex',
        prefix: 'sha256=',
        timestampHeader: null,
        signed: 'body',
        toleranceSeconds: null,
      },
    ],
    [
      'stripe',
      { toleranceSeconds: 600 },
      {
        header: 'Stripe-Signature',
        encoding: 'hex',
        prefix: 'v1=',
        timestampHeader: null,
        signed: 'timestamp.body',
        toleranceSeconds: 600,
      },
    ],
    [
      'hmac',
      { header: 'X-Sig' },
      { header: 'X-Sig', encoding: 'hex', prefix: '', timestampHeader: null, signed: 'body', toleranceSeconds: null },
    ],
    [
      'hmac',
      { header: 'X-Sig', timestampHeader: 'X-At', signed: 'v0:timestamp:body' },
      {
        header: 'X-Sig',
        encoding: 'hex',
        prefix: '',
        timestampHeader: 'X-At',
        signed: 'v0:timestamp:body',
        toleranceSeconds: 300,
      },
    ],
  ])('show %s %j without its secrets', async (scheme, settings, shown) => {
    const hook = await hooked();
    const { webhooks: before } = await done(app, 'automations/listTriggers', { functionId: hook.functionId });
    expect(before[0].verification).toBeNull();
    const answer = await verify(hook.id, scheme, settings);
    const verification = { scheme, algorithm: 'sha256', ...shown, secrets: 1, previousUntil: null };
    expect(answer.verification).toEqual(verification);
    const { webhooks } = await done(app, 'automations/listTriggers', { functionId: hook.functionId });
    expect(webhooks[0].verification).toEqual(verification);
    const all: { id: string }[] = await done(app, 'automations/listAllWebhooks');
    expect(all.find(({ id }) => id === hook.id)).toMatchObject({ verification });
  });
});

describe('/metrics', () => {
  it('counts refusals, by scheme and reason', async () => {
    const hook = await hooked();
    await verify(hook.id, 'stripe', { secret });
    const count = async (why: string) => {
      const { body: text } = await app.send('GET', '/metrics');
      const line = new RegExp(`countersign_webhook_refused_total\\{scheme="stripe",why="${why}"\\} (\\d+)`);
      return Number(line.exec(text)?.[1] ?? 0);
    };
    const reasons = ['missing', 'malformed', 'stale', 'wrong'];
    const before = await Promise.all(reasons.map(count));
    await send(hook.token, body);
    await send(hook.token, body, { 'stripe-signature': 'x' });
    await send(hook.token, body, signedBy.stripe(secret, body, seconds() - 3_600));
    await send(hook.token, body, signedBy.stripe('another secret', body, seconds()));
    expect(await Promise.all(reasons.map(count))).toEqual(before.map((was) => was + 1));
  });
});
