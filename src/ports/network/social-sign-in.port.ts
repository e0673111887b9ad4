export interface SocialFlow {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface SocialIdentity {
  readonly issuer: string;
  /** Stays the same for a person, even if their address changes. */
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/**
 * `denied` means that the person declined, `away` that the provider cannot be reached, and `invalid` that its response
 * failed verification. The message is one line without codes and tokens.
 */
export class SocialSignInFailed extends Error {
  override readonly name = 'SocialSignInFailed';

  constructor(
    readonly kind: 'denied' | 'away' | 'invalid',
    sentence: string,
  ) {
    super(sentence);
  }
}

/** Sign-in through services that the operator configures (OpenID Connect, authorization code flow). */
export abstract class SocialSignIn {
  abstract has(provider: string): boolean;

  /** Returns all providers, in the operator's order. */
  abstract names(): readonly string[];

  /** @throws SocialSignInFailed */
  abstract begin(provider: string, flow: SocialFlow): Promise<string>;

  /**
   * Verifies signature, issuer, audience, times, nonce and state. `answer` is the query string of the URL to which the
   * provider redirected the browser.
   * @throws SocialSignInFailed
   */
  abstract finish(provider: string, flow: SocialFlow, answer: URLSearchParams): Promise<SocialIdentity>;
}
