import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';

export type TokenPurpose = 'verify' | 'reset';

/** The content of a token that is sent by mail. */
export interface TokenContent {
  readonly projectId: string;
  readonly userId: string;
  /** Keyed digest of the address that the mail went to: of no use once the user has another. */
  readonly email: string;
  /**
   * Generation of the user's passes when the token was made. Once they are ended, the token is invalid. Only for
   * `reset`.
   */
  readonly generation?: number;
}

/** How long tokens are good for, in milliseconds. */
export const tokenLasts: Readonly<Record<TokenPurpose, number>> = { verify: 24 * 3_600_000, reset: 3_600_000 };

const tokenForm = /^[A-Za-z0-9_-]{32}$/;

/** Tokens of mails about sign-in. They are good once and for a while; the vault knows them by their keyed digests. */
@Injectable()
export class OneTimeTokens {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** May be repeated. */
  async keep(workspaceId: string, purpose: TokenPurpose, token: string, content: TokenContent): Promise<void> {
    const expiresAt = this.clock.now() + tokenLasts[purpose];
    const sealed = Buffer.from(JSON.stringify(content));
    await this.vault.seal(this.nameOf('site-token', workspaceId, purpose, token), sealed, { expiresAt });
  }

  /** Undefined for a token that is unknown, used or too old. Does not use it up. */
  async find(workspaceId: string, purpose: TokenPurpose, token: string): Promise<TokenContent | undefined> {
    if (!tokenForm.test(token)) return undefined;
    const [sealed, used] = await Promise.all([
      this.vault.open(this.nameOf('site-token', workspaceId, purpose, token)),
      this.vault.open(this.nameOf('site-token-used', workspaceId, purpose, token)),
    ]);
    if (sealed === undefined || used !== undefined) return undefined;
    return JSON.parse(Buffer.from(sealed).toString('utf8')) as TokenContent;
  }

  /** Uses it up. False when somebody else did: of several at once, one gets true. */
  use(workspaceId: string, purpose: TokenPurpose, token: string): Promise<boolean> {
    const name = this.nameOf('site-token-used', workspaceId, purpose, token);
    const expiresAt = this.clock.now() + tokenLasts[purpose];
    return this.vault.seal(name, Buffer.from('1'), { ifAbsent: true, expiresAt });
  }

  /** Makes a token valid again whose use had no effect. */
  giveBack(workspaceId: string, purpose: TokenPurpose, token: string): Promise<void> {
    return this.vault.destroy(this.nameOf('site-token-used', workspaceId, purpose, token));
  }

  private nameOf(kind: string, workspaceId: string, purpose: TokenPurpose, token: string): string {
    return `${kind}/${workspaceId}/${this.vault.derive(`site-token/${purpose}/${token}`)}`;
  }
}
