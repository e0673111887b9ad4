import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { hmac, type Published, published, slack } from '../../../../test/support/servers/published-deliveries.js';
import type { Delivery } from './delivery.api.js';
import { judgeSignature } from './delivery-verdict.js';
import type { SignatureScheme } from './webhook.record.js';
import { webhookSigningKey } from './webhook-secret.js';

const keyOf = (scheme: SignatureScheme['scheme'], secret: string) =>
  webhookSigningKey(scheme, secret) ?? Buffer.alloc(0);
const delivery = (headers: Delivery['headers'], body: string | Uint8Array): Delivery => ({
  headers,
  body: Buffer.from(body),
});
const minutes = 60_000;

/** Signs as Stripe's documentation describes, which contains no example signature to compare with. */
function stripe(secret: string, seconds: number, body: string | Uint8Array) {
  const signed = Buffer.concat([Buffer.from(`${seconds}.`), Buffer.from(body)]);
  return { 'stripe-signature': `t=${seconds},v1=${createHmac('sha256', secret).update(signed).digest('hex')}` };
}
const stripeScheme: SignatureScheme = { scheme: 'stripe', toleranceSeconds: 300 };

describe('a published example of a signature', () => {
  it.each(Object.entries(published))('%s: verifies', (_, { signature, secret, headers, body, at }) => {
    const verdict = judgeSignature(signature, [keyOf(signature.scheme, secret)], delivery(headers, body), at);
    expect(verdict.verified).toBe(true);
  });

  it.each(Object.entries(published))('%s: not with another secret', (_, { signature, secret, headers, body, at }) => {
    const other = keyOf(signature.scheme, secret).map((byte) => byte ^ 1);
    expect(judgeSignature(signature, [other], delivery(headers, body), at)).toEqual({ verified: false, why: 'wrong' });
  });

  it('Stripe, as documented: verifies, beside signatures of other schemes and other secrets too', () => {
    const body = '{"id":"evt_1"}';
    const own = stripe('whsec_test', 1_700_000_000, body)['stripe-signature'];
    const other = stripe('another', 1_700_000_000, body)['stripe-signature'].split(',')[1];
    for (const header of [own, own.replace('v1=', `${other},v0=00,v1=`), `${own},${other}`]) {
      const verdict = judgeSignature(
        stripeScheme,
        [keyOf('stripe', 'whsec_test')],
        delivery({ 'stripe-signature': header }, body),
        1_700_000_000_000,
      );
      expect(verdict.verified).toBe(true);
    }
  });
});

describe('the time of a delivery', () => {
  const { signature, secret, headers, body, at } = published[
    'Standard Webhooks, of the reference libraries'
  ] as Published;
  const at_ = (now: number) =>
    judgeSignature(signature, [keyOf(signature.scheme, secret)], delivery(headers, body), now);

  it('may differ by the tolerance in either direction, and no more', () => {
    expect([at - 5 * minutes, at + 5 * minutes].map((now) => at_(now).verified)).toEqual([true, true]);
    for (const now of [at - 5 * minutes - 1, at + 5 * minutes + 1]) {
      expect(at_(now)).toEqual({ verified: false, why: 'stale' });
    }
  });

  it('may be in milliseconds', () => {
    const scheme = hmac({ timestamp: { header: 'X-Time', signed: 'timestamp.body', toleranceSeconds: 60 } });
    const sign = createHmac('sha256', 'secret').update('1700000000000.hi').digest('hex');
    const sent = delivery({ 'x-time': '1700000000000', 'x-signature': sign }, 'hi');
    expect(judgeSignature(scheme, [Buffer.from('secret')], sent, 1_700_000_060_000).verified).toBe(true);
    expect(judgeSignature(scheme, [Buffer.from('secret')], sent, 1_700_000_061_000).verified).toBe(false);
  });
});

describe('an incomplete delivery', () => {
  const right = published['Standard Webhooks, of the reference libraries'] as Published;
  const key = [keyOf('standard-webhooks', right.secret)];

  it.each(Object.keys(right.headers))('without %s is not verified', (name) => {
    const { [name]: _, ...headers } = right.headers;
    expect(judgeSignature(right.signature, key, delivery(headers, right.body), right.at)).toEqual({
      verified: false,
      why: 'missing',
    });
  });

  it.each([
    [right.signature, { ...right.headers, 'webhook-timestamp': 'now' }],
    [right.signature, { ...right.headers, 'webhook-timestamp': '-1614265330' }],
    [right.signature, { ...right.headers, 'webhook-signature': 'v1a,abc' }],
    [right.signature, { ...right.headers, 'webhook-signature': '' }],
    [right.signature, { ...right.headers, 'webhook-id': '' }],
    [{ scheme: 'github' } as const, { 'x-hub-signature-256': 'sha1=00' }],
    [stripeScheme, { 'stripe-signature': 'v1=00' }],
    [stripeScheme, { 'stripe-signature': 't=1,t=2,v1=00' }],
    [stripeScheme, { 'stripe-signature': 't=1614265330' }],
    [slack, { 'x-slack-signature': 'v0=00', 'x-slack-request-timestamp': '' }],
    [slack, { 'x-slack-signature': 'v1=00', 'x-slack-request-timestamp': '1614265330' }],
  ])('%j with %j is malformed', (signature, headers) => {
    expect(judgeSignature(signature, key, delivery(headers, right.body), right.at)).toEqual({
      verified: false,
      why: 'malformed',
    });
  });

  it('is not verified without a secret, or with an empty one', () => {
    const { headers, body, at } = right;
    const empty = createHmac('sha256', '').update(`msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.${body}`).digest('base64');
    const forged = delivery({ ...headers, 'webhook-signature': `v1,${empty}` }, body);
    expect(judgeSignature(right.signature, [], delivery(headers, body), at).verified).toBe(false);
    expect(judgeSignature(right.signature, [Buffer.alloc(0)], forged, at).verified).toBe(false);
  });
});

type Sign = (secret: Uint8Array, body: Uint8Array, seconds: number) => Record<string, string>;
const digest = (
  algorithm: string,
  secret: Uint8Array,
  encoding: 'hex' | 'base64' | 'base64url',
  ...parts: Uint8Array[]
) => createHmac(algorithm, secret).update(Buffer.concat(parts)).digest(encoding);
const text = (...parts: readonly (string | number)[]) => Buffer.from(parts.join(''));

const senders: readonly (readonly [string, SignatureScheme, Sign])[] = [
  [
    'standard-webhooks',
    { scheme: 'standard-webhooks', toleranceSeconds: 300 },
    (secret, body, at) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${at}`,
      'webhook-signature': `v1,${digest('sha256', secret, 'base64', text('msg_1.', at, '.'), body)}`,
    }),
  ],
  [
    'github',
    { scheme: 'github' },
    (secret, body) => ({ 'x-hub-signature-256': `sha256=${digest('sha256', secret, 'hex', body)}` }),
  ],
  [
    'stripe',
    stripeScheme,
    (secret, body, at) => ({
      'stripe-signature': `t=${at},v1=${digest('sha256', secret, 'hex', text(at, '.'), body)}`,
    }),
  ],
  ...(['sha1', 'sha256', 'sha384', 'sha512'] as const).flatMap((algorithm) =>
    (['hex', 'base64', 'base64url'] as const).map((encoding): readonly [string, SignatureScheme, Sign] => [
      `hmac ${algorithm} ${encoding}`,
      hmac({
        algorithm,
        encoding,
        prefix: 'sig=',
        timestamp: { header: 'X-Time', signed: 'timestamp.body', toleranceSeconds: 300 },
      }),
      (secret, body, at) => ({
        'x-time': `${at}`,
        'x-signature': `sig=${digest(algorithm, secret, encoding, text(at, '.'), body)}`,
      }),
    ]),
  ),
];

const bytes = (minLength: number) => fc.uint8Array({ minLength, maxLength: 200 });
const flipped = <T extends Uint8Array>(of: T, at: number) => {
  const copy = Buffer.from(of);
  const index = Math.floor(at / 8) % copy.length;
  copy[index] = (copy[index] ?? 0) ^ (1 << (at % 8));
  return copy;
};

describe.each(senders)('a signature by the scheme %s', (_, signature, sign) => {
  const seconds = fc.integer({ min: 1_000_000_000, max: 9_999_999_999 });
  const given = { secret: bytes(24), body: bytes(1), seconds, bit: fc.nat({ max: 100_000 }) };

  it('verifies for any signed bytes, UTF-8 or not', () => {
    fc.assert(
      fc.property(fc.record(given), ({ secret, body, seconds: at }) => {
        const sent = { headers: sign(secret, body, at), body };
        expect(judgeSignature(signature, [secret], sent, at * 1_000).verified).toBe(true);
      }),
    );
  });

  it('never verifies if one bit of the body differs', () => {
    fc.assert(
      fc.property(fc.record(given), ({ secret, body, seconds: at, bit }) => {
        const sent = { headers: sign(secret, body, at), body: flipped(body, bit) };
        expect(judgeSignature(signature, [secret], sent, at * 1_000).verified).toBe(false);
      }),
    );
  });

  it('never verifies if one bit of a header differs, including the time and the id', () => {
    fc.assert(
      fc.property(fc.record({ ...given, which: fc.nat() }), ({ secret, body, seconds: at, bit, which }) => {
        const headers = sign(secret, body, at);
        const names = Object.keys(headers);
        const name = names[which % names.length] ?? '';
        const changed = flipped(Buffer.from(headers[name] ?? '', 'latin1'), bit).toString('latin1');
        const sent = { headers: { ...headers, [name]: changed }, body };
        expect(judgeSignature(signature, [secret], sent, at * 1_000).verified).toBe(false);
      }),
      { numRuns: runs(400) },
    );
  });

  it('never verifies with another secret, but with several if one is right', () => {
    fc.assert(
      fc.property(fc.record(given), ({ secret, body, seconds: at, bit }) => {
        const sent = { headers: sign(secret, body, at), body };
        const other = flipped(secret, bit);
        expect(judgeSignature(signature, [other], sent, at * 1_000).verified).toBe(false);
        expect(judgeSignature(signature, [other, secret], sent, at * 1_000).verified).toBe(true);
      }),
    );
  });
});

describe('the identity of a repeated delivery', () => {
  const { signature, secret, headers, body, at } = published[
    'Standard Webhooks, of the reference libraries'
  ] as Published;

  it('is the signed id', () => {
    const key = [keyOf(signature.scheme, secret)];
    expect(judgeSignature(signature, key, delivery(headers, body), at)).toEqual({
      verified: true,
      key: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    });
  });

  it('is the signed content if that has a time, whichever of several signatures it has', () => {
    const keys = [Buffer.from('one secret'), Buffer.from('another one')];
    const [one, other] = ['one secret', 'another one'].map(
      (name) => stripe(name, 1_700_000_000, 'x')['stripe-signature'],
    );
    const both = `${one},${other?.split(',')[1]}`;
    const keyOfHeader = (header: string | undefined, content = 'x') => {
      const verdict = judgeSignature(
        stripeScheme,
        keys,
        delivery({ 'stripe-signature': header }, content),
        1_700_000_000_000,
      );
      return verdict.verified ? verdict.key : undefined;
    };
    expect(keyOfHeader(one)).toMatch(/^signed\//);
    expect(new Set([one, other, both].map((header) => keyOfHeader(header))).size).toBe(1);
    expect(keyOfHeader(stripe('one secret', 1_700_000_001, 'x')['stripe-signature'])).not.toBe(keyOfHeader(one));
    expect(keyOfHeader(stripe('one secret', 1_700_000_000, 'y')['stripe-signature'], 'y')).not.toBe(keyOfHeader(one));
  });

  it('does not exist if neither is signed', () => {
    const github = published['GitHub'] as Published;
    const verdict = judgeSignature(
      github.signature,
      [Buffer.from(github.secret)],
      delivery(github.headers, github.body),
      0,
    );
    expect(verdict).toEqual({ verified: true, key: undefined });
  });
});
