import type { Configuration } from 'openid-client';
import type { Clock } from '../../../ports/clock.port.js';
import { type Egress, EgressFailed, EgressRefused } from '../../../ports/network/egress.port.js';
import {
  type SocialFlow,
  type SocialIdentity,
  SocialSignIn,
  SocialSignInFailed,
} from '../../../ports/network/social-sign-in.port.js';
import { fetchOver } from '../../egress/egress-fetch.js';

export interface OpenIdProvider {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Known {
  readonly configuration: Promise<Configuration>;
  readonly until: number;
}

const library = () => import('openid-client');

const knownMs = 3_600_000;
const longestName = 200;
const limits = { responseBytes: 1024 * 1024, timeoutMs: 10_000 };

export class OpenIdSocial extends SocialSignIn {
  private readonly providers: ReadonlyMap<string, OpenIdProvider>;
  private readonly known = new Map<string, Known>();

  constructor(
    providers: readonly OpenIdProvider[],
    private readonly egress: Egress,
    private readonly clock: Clock,
  ) {
    super();
    this.providers = new Map(providers.map((one) => [one.name, one]));
  }

  override has(provider: string): boolean {
    return this.providers.has(provider);
  }

  override names(): readonly string[] {
    return [...this.providers.keys()];
  }

  override async begin(provider: string, { redirectUri, state, nonce, codeVerifier }: SocialFlow): Promise<string> {
    const configuration = await this.configuration(provider);
    const client = await library();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      response_type: 'code',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  override async finish(provider: string, flow: SocialFlow, answer: URLSearchParams): Promise<SocialIdentity> {
    const configuration = await this.configuration(provider);
    const client = await library();
    const came = new URL(flow.redirectUri);
    came.search = answer.toString();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, came, {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new SocialSignInFailed('invalid', 'The provider returned no identity.');
      const { iss: issuer, sub: subject } = claims;
      // Some providers return the email address only from the userinfo endpoint. The library checks that its response
      // is about the subject of the ID token.
      const more =
        claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, subject)
          : {};
      return { issuer, subject, ...personIn({ ...more, ...claims }) };
    } catch (error) {
      throw failureOf(client, error);
    }
  }

  private configuration(name: string): Promise<Configuration> {
    const known = this.known.get(name);
    if (known !== undefined && this.clock.now() < known.until) return known.configuration;
    const configuration = this.discovered(name);
    this.known.set(name, { configuration, until: this.clock.now() + knownMs });
    configuration.catch(() => this.known.delete(name));
    return configuration;
  }

  private async discovered(name: string): Promise<Configuration> {
    const provider = this.providers.get(name);
    if (provider === undefined) throw new SocialSignInFailed('invalid', 'There is no such provider.');
    const { issuer, clientId, clientSecret } = provider;
    const url = new URL(issuer);
    const client = await library();
    try {
      return await client.discovery(url, clientId, clientSecret, undefined, {
        [client.customFetch]: fetchOver(this.egress, limits),
        execute: [
          // Makes the library check the signature of an ID token even if it comes from the token endpoint.
          client.enableNonRepudiationChecks,
          // The service's settings allow http only for servers on this machine.
          ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
      });
    } catch (error) {
      throw failureOf(client, error);
    }
  }
}

function personIn(claims: Readonly<Record<string, unknown>>): Omit<SocialIdentity, 'issuer' | 'subject'> {
  const { email, email_verified: verified, name } = claims;
  return {
    email: typeof email === 'string' && email !== '' ? email : null,
    // Some providers send this claim as a string.
    emailVerified: verified === true || verified === 'true',
    name: typeof name === 'string' && name.trim() !== '' ? [...name.trim()].slice(0, longestName).join('') : null,
  };
}

/** Omits the library's message, because it can quote a provider's response. */
function failureOf(client: Awaited<ReturnType<typeof library>>, error: unknown): SocialSignInFailed {
  if (error instanceof SocialSignInFailed) return error;
  if (error instanceof client.AuthorizationResponseError) {
    return error.error === 'access_denied'
      ? new SocialSignInFailed('denied', 'The sign-in was cancelled at the provider.')
      : new SocialSignInFailed('invalid', 'The provider refused the sign-in.');
  }
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressFailed || cause instanceof EgressRefused) {
      return new SocialSignInFailed('away', `The provider cannot be reached. ${cause.message}`);
    }
  }
  return new SocialSignInFailed('invalid', 'The answer of the provider is not valid.');
}
