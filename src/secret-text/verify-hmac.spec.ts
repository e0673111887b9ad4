import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../test/support/depth.js';
import type { Json } from '../kernel/json/json.js';
import type { GrantedSecret } from './granted-secret.js';
import { verifyHmac } from './verify-hmac.js';

type Key = Pick<GrantedSecret, 'value'> & Partial<Pick<GrantedSecret, 'keyFormat'>>;

const ask = (key: Key, ...args: readonly Json[]) => {
  const secret = { name: 'KEY', hosts: [], allowedHosts: [], ...key };
  return verifyHmac(args, new Map([['KEY', secret]]));
};
const verified = (key: Key, data: string, signature: Json, options: Json = {}) => {
  const answer = ask(key, 'KEY', data, signature, options);
  if (!answer.ok) throw new Error(`refused: ${answer.sentence}`);
  return answer.verified;
};
const refused = (key: Key, ...args: readonly Json[]) => {
  const answer = ask(key, ...args);
  if (answer.ok) throw new Error('answered');
  return answer;
};

const hex = (key: string): Key => ({ value: key, keyFormat: { encoding: 'hex' } });
const key: Key = { value: "It's a Secret to Everybody" };
const signature = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
const data = 'Hello, World!';

/** Cases 1, 2, 6 and 7 of RFC 4231. In the other cases, the data is not text. */
const rfc4231 = [
  {
    secret: hex('0b'.repeat(20)),
    text: 'Hi There',
    sha256: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    sha384: 'afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6',
    sha512:
      '87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
  },
  {
    secret: { value: 'Jefe' },
    text: 'what do ya want for nothing?',
    sha256: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    sha384: 'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649',
    sha512:
      '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
  },
  {
    secret: hex('aa'.repeat(131)),
    text: 'Test Using Larger Than Block-Size Key - Hash Key First',
    sha256: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    sha384: '4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952',
    sha512:
      '80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598',
  },
  {
    secret: hex('aa'.repeat(131)),
    text: 'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    sha256: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
    sha384: '6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c46523e',
    sha512:
      'e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58',
  },
];

describe('verifyHmac agrees with published examples:', () => {
  it.each(
    rfc4231.flatMap((one) => (['sha256', 'sha384', 'sha512'] as const).map((algorithm) => ({ ...one, algorithm }))),
  )('RFC 4231, $algorithm, $text', ({ secret, text, algorithm, ...digests }) => {
    expect(verified(secret, text, digests[algorithm], { algorithm })).toBe(true);
    expect(verified(secret, `${text}.`, digests[algorithm], { algorithm })).toBe(false);
  });

  it('RFC 2202, for sha1', () => {
    const text = 'what do ya want for nothing?';
    const digest = 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79';
    expect(verified({ value: 'Jefe' }, text, digest, { algorithm: 'sha1' })).toBe(true);
  });

  it('GitHub', () => {
    expect(verified(key, data, `sha256=${signature}`)).toBe(true);
    expect(verified(key, `${data} `, `sha256=${signature}`)).toBe(false);
  });

  it.each([
    [
      'plJ3nmyCDGBKInavdOK15jsl',
      'msg_loFOjxBNrRLzqYUf.1731705121.{"event_type":"ping","data":{"success":true}}',
      'rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    ],
    [
      'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}',
      'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    ],
  ])('Standard Webhooks, for the key %s', (stored, text, signed) => {
    const secret: Key = { value: `whsec_${stored}`, keyFormat: { encoding: 'base64', prefix: 'whsec_' } };
    const options = { signatureEncoding: 'base64' };
    expect(verified(secret, text, `v1,${signed}`, options)).toBe(true);
    expect(verified(secret, text, `v1,${btoa('x'.repeat(32))} v1a,${signed} v1,${signed}`, options)).toBe(true);
    expect(verified(secret, text, `v1,${btoa('x'.repeat(32))} v1a,${signed}`, options)).toBe(false);
    expect(verified(secret, text.replace('msg_', 'msg-'), `v1,${signed}`, options)).toBe(false);
  });

  it('Slack', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V' +
      '&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=' +
      '&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
      '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const signed = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
    const secret = { value: '8f742231b10e8888abcd99yyyzzz85a5' };
    expect(verified(secret, `v0:1531420618:${body}`, signed)).toBe(true);
    expect(verified(secret, `v0:1531420619:${body}`, signed)).toBe(false);
  });

  it('the scheme of Stripe, as signed by openssl: the key is the text with its prefix', () => {
    const signed = '654b43d3508ecadb3f8cefc4bc7d3d2bdc5ba9e03bf2c89b2d0657a8e24e4543';
    const text = '1492774577.{"id":"evt_1","object":"event"}';
    expect(verified({ value: 'whsec_test_secret' }, text, signed)).toBe(true);
    expect(verified({ value: 'whsec_test_secret' }, text, `v1=${signed}`)).toBe(true);
    expect(verified({ value: 'whsec_test_secret' }, text.replace('77', '78'), signed)).toBe(false);
  });
});

describe('verifyHmac reads a key', () => {
  const bytes = Buffer.from('0b'.repeat(20), 'hex');
  const { text, sha256 } = {
    text: 'Hi There',
    sha256: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  };

  it.each<[string, Key]>([
    ['in hex', hex(bytes.toString('hex'))],
    ['in hex of capitals', hex(bytes.toString('hex').toUpperCase())],
    ['in hex, with a line break after it', hex(`${bytes.toString('hex')}\n`)],
    [
      'in hex behind a prefix',
      { value: `key-${bytes.toString('hex')}`, keyFormat: { encoding: 'hex', prefix: 'key-' } },
    ],
    ['in base64', { value: bytes.toString('base64'), keyFormat: { encoding: 'base64' } }],
    ['in base64 without padding', { value: bytes.toString('base64url'), keyFormat: { encoding: 'base64' } }],
    [
      'in base64 without the prefix',
      { value: bytes.toString('base64'), keyFormat: { encoding: 'base64', prefix: 'w_' } },
    ],
    ['as text behind a prefix', { value: `k=${bytes}`, keyFormat: { encoding: 'utf8', prefix: 'k=' } }],
    ['as text, if nothing is said', { value: `${bytes}` }],
  ])('reads a key %s', (_, secret) => {
    expect(verified(secret, text, sha256)).toBe(true);
  });

  it('as text to the last character, including a line break', () => {
    expect(verified({ value: `${bytes}\n` }, text, sha256)).toBe(false);
  });

  it.each<[string, Key]>([
    ['it is empty', { value: '' }],
    ['it is empty behind its prefix', { value: 'whsec_', keyFormat: { encoding: 'base64', prefix: 'whsec_' } }],
    ['it is not hex', hex('0b0bxx')],
    ['it has half a byte of hex', hex('0b0')],
    ['it is not base64', { value: 'a~b=', keyFormat: { encoding: 'base64' } }],
    ['it has a letter of base64 too many', { value: 'abcde', keyFormat: { encoding: 'base64' } }],
    ['its padding is wrong', { value: 'abc==', keyFormat: { encoding: 'base64' } }],
  ])('and refuses when %s', (_, secret) => {
    const refusal = refused(secret, 'KEY', text, sha256);
    expect(refusal.problem).toBe('key-format');
    expect(refusal.sentence).toContain('The secret KEY is not a signing key');
    if (secret.value) expect(refusal.sentence).not.toContain(secret.value);
  });
});

describe('verifyHmac returns false, and throws nothing, for a signature that', () => {
  it.each<[string, Json]>([
    ['is missing', null],
    ['is empty', ''],
    ['is white space', ' \n'],
    ['is a number', 757107],
    ['is a list', [signature]],
    ['is an object', { signature }],
    ['is no hex', 'z'.repeat(64)],
    ['is cut off', signature.slice(0, -2)],
    ['is cut off in the middle of a byte', signature.slice(0, -1)],
    ['goes on', `${signature}00`],
    ['differs in its last letter', `${signature.slice(0, -1)}8`],
    ['is another encoding than was said', Buffer.from(signature, 'hex').toString('base64')],
    ['names another algorithm', `sha1=${signature}`],
    ['has a scheme twice', `sha256=sha256=${signature}`],
    ['has an unknown scheme', `md5=${signature}`],
    ['has something stuck to it', `${signature},`],
    ['stands behind sixteen others', `${'00 '.repeat(16)}${signature}`],
    ['is a megabyte long', '0'.repeat(2 ** 20)],
  ])('returns false for a signature that %s', (_, given) => {
    expect(verified(key, data, given)).toBe(false);
  });

  it('was made with another key or for other data', () => {
    expect(verified({ value: 'another' }, data, signature)).toBe(false);
    expect(verified(key, data.toLowerCase(), signature)).toBe(false);
  });
});

describe('verifyHmac takes', () => {
  it.each([
    ['capitals', signature.toUpperCase()],
    ['white space around it', ` ${signature}\n`],
    ['a scheme in capitals', `SHA256=${signature}`],
    ['one of several', `${'0'.repeat(64)} ${signature}`],
  ])('a signature with %s', (_, given) => {
    expect(verified(key, data, given)).toBe(true);
  });

  it.each(['base64', 'base64url'] as const)('a signature in %s, with padding or without', (signatureEncoding) => {
    const bytes = Buffer.from(signature, 'hex');
    for (const written of [bytes.toString(signatureEncoding), bytes.toString('base64').replace('=', '')])
      expect(verified(key, data, `sha256=${written}`, { signatureEncoding })).toBe(true);
  });

  it('a secret that has hosts as well', () => {
    const secret = { name: 'KEY', value: `${key.value}`, hosts: ['a.test'], allowedHosts: 'any' as const };
    expect(verifyHmac(['KEY', data, signature], new Map([['KEY', secret]]))).toEqual({ ok: true, verified: true });
  });

  it('undefined as options', () => {
    expect(verified(key, data, signature, null)).toBe(true);
  });
});

describe('verifyHmac refuses', () => {
  it.each<[string, readonly Json[], string]>([
    ['no name', [], 'must be the name of a secret'],
    ['a name that none can have', ['my key', data, signature], 'must be the name of a secret'],
    ['a name that goes on', ['KEY and more', data, signature], 'must be the name of a secret'],
    ['a marker for a name', [{ $secret: 'KEY', seal: 's' }, data, signature], 'must be the name of a secret'],
    ['data that were parsed', ['KEY', { a: 1 }, signature], 'the text as it was received'],
    ['missing data', ['KEY', null, signature], 'the text as it was received'],
    ['options that are none', ['KEY', data, signature, 'sha256'], 'must be an object'],
    ['an unknown algorithm', ['KEY', data, signature, { algorithm: 'md5' }], 'one of sha1, sha256, sha384, sha512'],
    ['an unknown encoding', ['KEY', data, signature, { signatureEncoding: 'utf8' }], 'one of hex, base64, base64url'],
    ['an option that is none', ['KEY', data, signature, { encoding: 'hex' }], "has no option 'encoding'"],
  ])('verifyHmac refuses a call with %s', (_, args, sentence) => {
    expect(refused(key, ...args)).toMatchObject({
      problem: 'invalid-input',
      sentence: expect.stringContaining(sentence),
    });
  });

  it('a secret that is not on the list', () => {
    expect(refused(key, 'OTHER', data, signature)).toMatchObject({ problem: 'not-granted' });
  });

  it('a secret that has been deleted', () => {
    expect(refused({ value: undefined }, 'KEY', data, signature)).toMatchObject({ problem: 'no-value' });
  });
});

describe('verifyHmac, for any input', () => {
  const algorithm = fc.constantFrom('sha1', 'sha256', 'sha384', 'sha512');
  const signatureEncoding = fc.constantFrom('hex', 'base64', 'base64url');
  const wellFormed = fc.string({ unit: 'grapheme', minLength: 1 });

  it('property: verifies what was signed, and nothing that differs in one bit', () => {
    fc.assert(
      fc.property(
        wellFormed,
        fc.string({ unit: 'grapheme' }),
        algorithm,
        signatureEncoding,
        fc.nat(),
        (value, text, hash, encoding, bit) => {
          const digest = createHmac(hash, value).update(text).digest();
          const options = { algorithm: hash, signatureEncoding: encoding };
          expect(verified({ value }, text, digest.toString(encoding as BufferEncoding), options)).toBe(true);
          const at = bit % digest.length;
          digest[at] = (digest[at] ?? 0) ^ (1 << (bit % 8));
          expect(verified({ value }, text, digest.toString(encoding as BufferEncoding), options)).toBe(false);
        },
      ),
    );
  });

  it('property: answers any call, and reveals no value', () => {
    const format = fc.record({ encoding: fc.constantFrom('utf8', 'hex', 'base64'), prefix: fc.string() } as const);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant('KEY'), fc.jsonValue()), { maxLength: 5 }),
        format,
        (args, keyFormat) => {
          const answer = ask({ value: 'a-value-of-its-own', keyFormat }, ...(args as Json[]));
          expect(JSON.stringify(answer)).not.toContain('a-value-of-its-own');
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
