import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { Vault } from '../../../ports/vault.port.js';

/** A sign-in for which the browser was sent to the provider and has not returned. */
export interface PendingFlow {
  readonly projectId: string;
  readonly provider: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Keyed digest of the browser's cookie. */
  readonly browser: string;
  readonly challenge: string | null;
}

export interface PendingSession {
  readonly projectId: string;
  readonly userId: string;
  /** The user's `passGeneration`. If a ban or a password reset has increased it since, the sign-in is refused. */
  readonly generation: number;
  readonly browser: string;
  readonly challenge: string | null;
}

const lasts = { flow: 10 * 60_000, code: 60_000 } as const;
type Kind = keyof typeof lasts;
interface Contents {
  readonly flow: PendingFlow;
  readonly code: PendingSession;
}

const tokenForm = /^[A-Za-z0-9_-]{32}$/;

/** Sign-ins in progress are in the vault under keyed digests, for at most ten minutes. */
@Injectable()
export class SocialSecrets {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async issue<K extends Kind>(workspaceId: string, kind: K, content: Contents[K]): Promise<string> {
    const token = this.ids.token();
    const sealed = Buffer.from(JSON.stringify(content));
    await this.vault.seal(this.nameOf('', workspaceId, kind, token), sealed, { expiresAt: this.end(kind) });
    return token;
  }

  /**
   * Returns the content and removes it, so only one of several concurrent callers gets it. Returns undefined if the
   * token is unknown, used or expired. If `fits` rejects the content, returns undefined and does not remove it.
   */
  async redeem<K extends Kind>(
    workspaceId: string,
    kind: K,
    token: string,
    fits: (content: Contents[K]) => boolean,
  ): Promise<Contents[K] | undefined> {
    if (!tokenForm.test(token)) return undefined;
    const name = this.nameOf('', workspaceId, kind, token);
    const sealed = await this.vault.open(name);
    if (sealed === undefined) return undefined;
    const content = JSON.parse(Buffer.from(sealed).toString('utf8')) as Contents[K];
    if (!fits(content)) return undefined;
    const used = this.nameOf('-used', workspaceId, kind, token);
    const first = await this.vault.seal(used, Buffer.from('1'), { ifAbsent: true, expiresAt: this.end(kind) });
    if (!first) return undefined;
    await this.vault.destroy(name);
    return content;
  }

  digest(text: string): string {
    return this.vault.derive(`social-browser/${text}`);
  }

  private end(kind: Kind): number {
    return this.clock.now() + lasts[kind];
  }

  private nameOf(suffix: string, workspaceId: string, kind: Kind, token: string): string {
    return `social-${kind}${suffix}/${workspaceId}/${this.vault.derive(`social-${kind}/${token}`)}`;
  }
}
