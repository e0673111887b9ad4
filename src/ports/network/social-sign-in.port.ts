/** What ties the end of a sign-in to its beginning. Random texts. */
export interface SocialFlow {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE: the provider gets its digest at the beginning and the text at the end. */
  readonly codeVerifier: string;
}

/** A person's identity at a provider. */
export interface SocialIdentity {
  readonly issuer: string;
  /** Constant for a person, even if their address changes. */
  readonly subject: string;
  readonly email: string | null;
  /** The provider states that it verified the address. */
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/**
 * Why a sign-in failed. `denied`: the person declined. `away`: the provider cannot be reached. `invalid`: its answer
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

  /** All providers, in the operator's order. */
  abstract names(): readonly string[];

  /** The URL to redirect the browser to. @throws SocialSignInFailed */
  abstract begin(provider: string, flow: SocialFlow): Promise<string>;

  /**
   * The verified identity: signature, issuer, audience, times, nonce and state are checked. `answer` is the query with
   * which the browser came back. @throws SocialSignInFailed
   */
  abstract finish(provider: string, flow: SocialFlow, answer: URLSearchParams): Promise<SocialIdentity>;
}
