import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Claims = Readonly<Record<string, unknown>>;

interface Asked {
  readonly query: URLSearchParams;
  readonly claims: Claims;
}

const jsonPart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An OpenID Connect provider on loopback. It signs real tokens, and refuses requests that violate the protocol. */
export class OpenIdProviderForTests {
  readonly clientId = 'client-of-tests';
  readonly clientSecret = 'client-secret-canary-0b6ef3';
  /** Paths of the requests, in order. */
  readonly asked: string[] = [];
  /** The person who signs in on the provider's page. Tests without a browser call `signIn` instead. */
  visitor: Claims | undefined;
  /** Claims to replace in the next tokens. */
  claims: Claims = {};
  /** Changes the token before it is sent. */
  tamper: (token: string) => string = (token) => token;
  /** Response of /userinfo. If undefined, the endpoint does not exist. */
  userinfo: Claims | undefined;
  /** Whether tokens are signed with another key than the published one. */
  wrongKey = false;
  private readonly key = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private readonly otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private readonly codes = new Map<string, Asked>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(): Promise<OpenIdProviderForTests> {
    const provider = new OpenIdProviderForTests();
    await new Promise<void>((resolve) => provider.server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns an entry for SOCIAL_PROVIDERS. */
  settings(name: string) {
    return { name, issuer: this.issuer, clientId: this.clientId, clientSecret: this.clientSecret };
  }

  /**
   * Signs a person in at the URL to which the browser was redirected. Returns the URL to which the browser is sent
   * next.
   */
  signIn(address: string, person: Claims): string {
    const { searchParams: query, pathname } = new URL(address);
    if (pathname !== '/authorize' || query.get('client_id') !== this.clientId) throw new Error('That is not our page.');
    const code = randomUUID();
    this.codes.set(code, { query, claims: person });
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    back.searchParams.set('iss', this.issuer);
    return back.href;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.issuer);
    this.asked.push(pathname);
    const say = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    switch (pathname) {
      case '/authorize': {
        if (this.visitor === undefined) return void say(404, {});
        const location = this.signIn(new URL(request.url ?? '/', this.issuer).href, this.visitor);
        return void response.writeHead(303, { location }).end();
      }
      case '/.well-known/openid-configuration':
        return void say(200, {
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          jwks_uri: `${this.issuer}/jwks`,
          ...(this.userinfo && { userinfo_endpoint: `${this.issuer}/userinfo` }),
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          token_endpoint_auth_methods_supported: ['client_secret_post'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
        });
      case '/jwks':
        return void say(200, { keys: [{ ...this.key.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256' }] });
      case '/userinfo':
        return void say(200, this.userinfo ?? {});
      case '/token': {
        const form = new URLSearchParams(await text(request));
        const code = form.get('code') ?? '';
        const asked = this.codes.get(code);
        this.codes.delete(code);
        return asked !== undefined && this.isEntitled(form, asked)
          ? void say(200, {
              access_token: randomUUID(),
              token_type: 'Bearer',
              expires_in: 300,
              id_token: this.token(asked),
            })
          : void say(400, { error: 'invalid_grant' });
      }
      default:
        return void say(404, {});
    }
  }

  private isEntitled(form: URLSearchParams, { query }: Asked): boolean {
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return (
      form.get('client_id') === this.clientId &&
      form.get('client_secret') === this.clientSecret &&
      form.get('redirect_uri') === query.get('redirect_uri') &&
      query.get('code_challenge_method') === 'S256' &&
      challenge === query.get('code_challenge')
    );
  }

  private token({ query, claims }: Asked): string {
    const now = Math.floor(Date.now() / 1_000);
    const payload = {
      iss: this.issuer,
      aud: this.clientId,
      iat: now,
      exp: now + 300,
      nonce: query.get('nonce'),
      ...claims,
      ...this.claims,
    };
    const signed = `${jsonPart({ alg: 'RS256', kid: 'k1' })}.${jsonPart(payload)}`;
    const { privateKey } = this.wrongKey ? this.otherKey : this.key;
    return this.tamper(`${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`);
  }
}
