import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';

export type TokenPurpose = 'verify' | 'reset';

/** The facts that are stored with a token. */
export interface TokenContent {
  readonly projectId: string;
  readonly userId: string;
  /**
   * Keyed digest of the email to which the mail was sent. The token is invalid if the user's email is different now.
   */
  readonly email: string;
  /**
   * Generation of the user's session passes when the token was made. Each change that ends all sessions of the user
   * increases the generation. A `reset` token is invalid if it is different now.
   */
  readonly generation?: number;
}

/** Validity of tokens, in milliseconds. */
export const tokenLasts: Readonly<Record<TokenPurpose, number>> = { verify: 24 * 3_600_000, reset: 3_600_000 };

const tokenForm = /^[A-Za-z0-9_-]{32}$/;

/**
 * Stores the tokens that sign-in mails contain. Each can be used once, within a limited time. The vault stores them
 * under keyed digests.
 */
@Injectable()
export class OneTimeTokens {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** Stores a token. Idempotent. */
  async store(workspaceId: string, purpose: TokenPurpose, token: string, content: TokenContent): Promise<void> {
    const expiresAt = this.clock.now() + tokenLasts[purpose];
    const sealed = Buffer.from(JSON.stringify(content));
    await this.vault.seal(this.nameOf('site-token', workspaceId, purpose, token), sealed, { expiresAt });
  }

  /** Returns the token's content, or undefined if the token is unknown, used or expired. The token remains valid. */
  async find(workspaceId: string, purpose: TokenPurpose, token: string): Promise<TokenContent | undefined> {
    if (!tokenForm.test(token)) return undefined;
    const [sealed, used] = await Promise.all([
      this.vault.open(this.nameOf('site-token', workspaceId, purpose, token)),
      this.vault.open(this.nameOf('site-token-used', workspaceId, purpose, token)),
    ]);
    if (sealed === undefined || used !== undefined) return undefined;
    return JSON.parse(Buffer.from(sealed).toString('utf8')) as TokenContent;
  }

  /**
   * Invalidates the token. Of several concurrent callers, only one gets true. Returns false if the token was used
   * before.
   */
  use(workspaceId: string, purpose: TokenPurpose, token: string): Promise<boolean> {
    const name = this.nameOf('site-token-used', workspaceId, purpose, token);
    const expiresAt = this.clock.now() + tokenLasts[purpose];
    return this.vault.seal(name, Buffer.from('1'), { ifAbsent: true, expiresAt });
  }

  /** Makes a used token valid again, after the work that used it failed. */
  giveBack(workspaceId: string, purpose: TokenPurpose, token: string): Promise<void> {
    return this.vault.destroy(this.nameOf('site-token-used', workspaceId, purpose, token));
  }

  private nameOf(kind: string, workspaceId: string, purpose: TokenPurpose, token: string): string {
    return `${kind}/${workspaceId}/${this.vault.derive(`site-token/${purpose}/${token}`)}`;
  }
}
