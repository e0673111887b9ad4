import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpEgress } from '../../../src/adapters/egress/http/http-egress.adapter.js';
import { OpenIdSocial } from '../../../src/adapters/social/openid/openid-social.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { SocialSignInFailed } from '../../../src/ports/network/social-sign-in.port.js';
import { OpenIdProviderForTests } from '../../support/servers/openid-provider.js';

const clock = new SystemClock();
const ada = { sub: 'ada-1', email: 'ada@example.org', email_verified: true, name: 'Ada' };
const flow = {
  redirectUri: 'https://sites.example.com/api/app/proj_1/auth/social/own/callback',
  state: 'state-of-this-flow-0123456789abcdef',
  nonce: 'nonce-of-this-flow-0123456789abcdef',
  codeVerifier: 'verifier-of-this-flow-0123456789abcdef0123456789',
};
let provider: OpenIdProviderForTests;
const social = (allow: readonly string[] = ['127.0.0.1']) =>
  new OpenIdSocial([provider.settings('own')], new HttpEgress({ allow, clock }), clock);
const back = async (person: object = ada, with_ = social()) =>
  new URL(provider.signIn(await with_.begin('own', flow), person as Record<string, unknown>)).searchParams;
const failing = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it worked',
    (error: unknown) => (error instanceof SocialSignInFailed ? [error.kind, error.message] : error),
  );
beforeAll(async () => {
  provider = await OpenIdProviderForTests.start();
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.claims = {};
  provider.tamper = (token) => token;
  provider.wrongKey = false;
  provider.userinfo = undefined;
});

describe('signing in by OpenID Connect', () => {
  it('sends the browser to the provider with state, nonce and the digest of the verifier', async () => {
    const url = new URL(await social().begin('own', flow));
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: provider.clientId,
      redirect_uri: flow.redirectUri,
      scope: 'openid email profile',
      response_type: 'code',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(url.href).not.toContain(flow.codeVerifier);
  });

  it('answers the identity that the provider confirms', async () => {
    expect(await social().finish('own', flow, await back())).toEqual({
      issuer: provider.issuer,
      subject: 'ada-1',
      email: 'ada@example.org',
      emailVerified: true,
      name: 'Ada',
    });
  });

  it.each([
    [{ sub: 'b' }, { email: null, emailVerified: false, name: null }],
    [
      { sub: 'b', email: 'b@example.org' },
      { email: 'b@example.org', emailVerified: false },
    ],
    [
      { sub: 'b', email: 7, email_verified: 'yes', name: ['x'] },
      { email: null, emailVerified: false, name: null },
    ],
    [{ sub: 'b', email: 'b@example.org', email_verified: 'true' }, { emailVerified: true }],
  ])('accepts only confirmed facts: %j', async (claims, expected) => {
    expect(await social().finish('own', flow, await back(claims))).toMatchObject(expected);
  });

  it('requests the email if the token lacks it, and accepts it only for the same subject', async () => {
    provider.userinfo = { sub: 'ada-1', email: 'info@example.org', email_verified: true };
    const one = social();
    expect(await one.finish('own', flow, await back({ sub: 'ada-1' }, one))).toMatchObject({
      email: 'info@example.org',
      emailVerified: true,
    });
    provider.userinfo = { sub: 'eve', email: 'eve@example.org', email_verified: true };
    expect(await failing(one.finish('own', flow, await back({ sub: 'ada-1' }, one)))).toEqual([
      'invalid',
      'The answer of the provider is not valid.',
    ]);
  });

  const hour = 3_600;
  const now = Math.floor(Date.now() / 1_000);
  it.each([
    ['another nonce', () => (provider.claims = { nonce: 'another' })],
    ['no nonce', () => (provider.claims = { nonce: undefined })],
    ['another audience', () => (provider.claims = { aud: 'another-client' })],
    ['another issuer', () => (provider.claims = { iss: 'https://evil.example.com' })],
    ['a token that has ended', () => (provider.claims = { iat: now - 2 * hour, exp: now - hour })],
    ['no subject', () => (provider.claims = { sub: undefined })],
    ['a signature of another key', () => (provider.wrongKey = true)],
    ['no signature', () => (provider.tamper = (token) => `${token.split('.').slice(0, 2).join('.')}.`)],
    [
      'the algorithm none',
      () =>
        (provider.tamper = (token) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`),
    ],
    ['a changed payload', () => (provider.tamper = (token) => token.replace(/\.e/, '.f'))],
    ['no token', () => (provider.tamper = () => '')],
  ])('does not believe %s', async (_, change) => {
    change();
    expect(await failing(back().then((answer) => social().finish('own', flow, answer)))).toEqual([
      'invalid',
      expect.stringMatching(/^The .*\.$/),
    ]);
  });

  it.each([
    ['another state', (answer: URLSearchParams) => answer.set('state', 'another')],
    ['no state', (answer: URLSearchParams) => answer.delete('state')],
    ['another issuer in the answer', (answer: URLSearchParams) => answer.set('iss', 'https://evil.example.com')],
    ['a code that was never given', (answer: URLSearchParams) => answer.set('code', 'x')],
    ['no code', (answer: URLSearchParams) => answer.delete('code')],
    ['two codes', (answer: URLSearchParams) => answer.append('code', 'x')],
    ['an error of its own', (answer: URLSearchParams) => answer.set('error', 'server_error')],
  ])('does not accept %s', async (_, change) => {
    const answer = await back();
    change(answer);
    expect(await failing(social().finish('own', flow, answer))).toEqual(['invalid', expect.any(String)]);
  });

  it('accepts no code twice, and none with another verifier', async () => {
    const answer = await back();
    const other = { ...flow, codeVerifier: `${flow.codeVerifier}x` };
    expect(await failing(social().finish('own', other, await back()))).toMatchObject(['invalid', expect.any(String)]);
    await social().finish('own', flow, answer);
    expect(await failing(social().finish('own', flow, answer))).toMatchObject(['invalid', expect.any(String)]);
  });

  it('distinguishes a cancelled sign-in from a failed one', async () => {
    const answer = new URLSearchParams({ error: 'access_denied', state: flow.state, iss: provider.issuer });
    expect(await failing(social().finish('own', flow, answer))).toMatchObject(['denied', expect.any(String)]);
  });

  it('sends requests only through egress, which refuses forbidden addresses', async () => {
    expect(await failing(social([]).begin('own', flow))).toEqual(['away', expect.stringContaining('EGRESS_ALLOW')]);
  });

  it('works again with a provider that was away', async () => {
    const one = new OpenIdSocial(
      [{ ...provider.settings('own'), issuer: 'http://127.0.0.1:9' }],
      new HttpEgress({ allow: ['127.0.0.1'], clock }),
      clock,
    );
    expect(await failing(one.begin('own', flow))).toMatchObject(['away', expect.any(String)]);
    expect([social().has('own'), social().has('other')]).toEqual([true, false]);
  });
});
