import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';

export type TokenPurpose = 'verify' | 'reset';

/** The content of a token that is sent by mail. */
export interface TokenContent {
  readonly projectId: string;
  readonly userId: string;
  /** Keyed digest of the address to which the mail was sent. If the user's address changes, the token is invalid. */
  readonly email: string;
  /**
   * Generation of the user's passes when the token was made. Once they are ended, the token is invalid. Only for
   * `reset`.
   */
  readonly generation?: number;
}

/** Validity of tokens, in milliseconds. */
export const tokenLasts: Readonly<Record<TokenPurpose, number>> = { verify: 24 * 3_600_000, reset: 3_600_000 };

const tokenForm = /^[A-Za-z0-9_-]{32}$/;

/**
 * Tokens in mails about sign-in. Each is valid once and for a limited time; the vault stores them under their keyed
 * digests.
 */
@Injectable()
export class OneTimeTokens {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** Stores a token. Idempotent. */
  async keep(workspaceId: string, purpose: TokenPurpose, token: string, content: TokenContent): Promise<void> {
    const expiresAt = this.clock.now() + tokenLasts[purpose];
    const sealed = Buffer.from(JSON.stringify(content));
    await this.vault.seal(this.nameOf('site-token', workspaceId, purpose, token), sealed, { expiresAt });
  }

  /** Returns undefined for a token that is unknown, used or expired. Does not use it up. */
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
   * Invalidates the token. Resolves to true for only one of several concurrent callers, and to false for a used token.
   */
  use(workspaceId: string, purpose: TokenPurpose, token: string): Promise<boolean> {
    const name = this.nameOf('site-token-used', workspaceId, purpose, token);
    const expiresAt = this.clock.now() + tokenLasts[purpose];
    return this.vault.seal(name, Buffer.from('1'), { ifAbsent: true, expiresAt });
  }

  /** Makes a token valid again if its use had no effect. */
  giveBack(workspaceId: string, purpose: TokenPurpose, token: string): Promise<void> {
    return this.vault.destroy(this.nameOf('site-token-used', workspaceId, purpose, token));
  }

  private nameOf(kind: string, workspaceId: string, purpose: TokenPurpose, token: string): string {
    return `${kind}/${workspaceId}/${this.vault.derive(`site-token/${purpose}/${token}`)}`;
  }
}
