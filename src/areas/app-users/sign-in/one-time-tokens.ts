import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';

export type TokenPurpose = 'verify' | 'reset';

export interface TokenContent {
  readonly projectId: string;
  readonly userId: string;
  /** Keyed digest of the user's email. The token is valid only while the user has this email. */
  readonly email: string;
  /** A `reset` token becomes invalid when the user's `passGeneration` changes. */
  readonly generation?: number;
}

/** Validity of tokens, in milliseconds. */
export const tokenLasts: Readonly<Record<TokenPurpose, number>> = { verify: 24 * 3_600_000, reset: 3_600_000 };

const tokenForm = /^[A-Za-z0-9_-]{32}$/;

/** Each token can be used once. The vault stores tokens under keyed digests. */
@Injectable()
export class OneTimeTokens {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  async store(workspaceId: string, purpose: TokenPurpose, token: string, content: TokenContent): Promise<void> {
    const expiresAt = this.clock.now() + tokenLasts[purpose];
    const sealed = Buffer.from(JSON.stringify(content));
    await this.vault.seal(this.nameOf('site-token', workspaceId, purpose, token), sealed, { expiresAt });
  }

  /** Does not use up the token. Returns undefined if the token is unknown, used or expired. */
  async find(workspaceId: string, purpose: TokenPurpose, token: string): Promise<TokenContent | undefined> {
    if (!tokenForm.test(token)) return undefined;
    const [sealed, used] = await Promise.all([
      this.vault.open(this.nameOf('site-token', workspaceId, purpose, token)),
      this.vault.open(this.nameOf('site-token-used', workspaceId, purpose, token)),
    ]);
    if (sealed === undefined || used !== undefined) return undefined;
    return JSON.parse(Buffer.from(sealed).toString('utf8')) as TokenContent;
  }

  /** Of several concurrent callers, only one gets true. */
  use(workspaceId: string, purpose: TokenPurpose, token: string): Promise<boolean> {
    const name = this.nameOf('site-token-used', workspaceId, purpose, token);
    const expiresAt = this.clock.now() + tokenLasts[purpose];
    return this.vault.seal(name, Buffer.from('1'), { ifAbsent: true, expiresAt });
  }

  giveBack(workspaceId: string, purpose: TokenPurpose, token: string): Promise<void> {
    return this.vault.destroy(this.nameOf('site-token-used', workspaceId, purpose, token));
  }

  private nameOf(kind: string, workspaceId: string, purpose: TokenPurpose, token: string): string {
    return `${kind}/${workspaceId}/${this.vault.derive(`site-token/${purpose}/${token}`)}`;
  }
}
