/** What one sign-in is bound to, so that its end belongs to its beginning. Random texts. */
export interface SocialFlow {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE: the provider gets its digest at the beginning and the text at the end. */
  readonly codeVerifier: string;
}

/** Who somebody is to a provider. */
export interface SocialIdentity {
  readonly issuer: string;
  /** Stays the same for the same person, whatever their address. */
  readonly subject: string;
  readonly email: string | null;
  /** The provider says that the address is theirs. */
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/**
 * Why somebody could not sign in. `denied`: they did not want to. `away`: the provider cannot be reached. `invalid`: what
 * it answered is not to be believed. The message is one line without codes and tokens.
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

/** Signing in by services that the operator names (OpenID Connect, authorization code flow). */
export abstract class SocialSignIn {
  abstract has(provider: string): boolean;

  /** All that there are, in the operator's order. */
  abstract names(): readonly string[];

  /** Where the browser is to be sent. @throws SocialSignInFailed */
  abstract begin(provider: string, flow: SocialFlow): Promise<string>;

  /**
   * What the provider says of the person, checked: signature, issuer, audience, times, nonce and state. `answer` is the
   * query with which the browser came back. @throws SocialSignInFailed
   */
  abstract finish(provider: string, flow: SocialFlow, answer: URLSearchParams): Promise<SocialIdentity>;
}
