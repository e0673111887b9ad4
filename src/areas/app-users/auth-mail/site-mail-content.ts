import { Injectable } from '@nestjs/common';
import { Vault } from '../../../ports/vault.port.js';

/** The content of a mail and its recipient. */
export interface SiteMailContent {
  readonly to: string;
  /** `null` if the user gave no name. */
  readonly userName: string | null;
  /** Contains a token: anyone who has the link can use it. */
  readonly link: string | null;
  /** How long the link is valid, in milliseconds. `null` means that the link does not expire. */
  readonly expiresIn: number | null;
  /** Lines of a receipt. */
  readonly lines: readonly string[];
}

/** Contents of mails in the vault. Each entry expires, even if it is never removed. */
@Injectable()
export class SiteMailContents {
  constructor(private readonly vault: Vault) {}

  /** Idempotent: an existing entry is unchanged. */
  async seal(workspaceId: string, mailId: string, content: SiteMailContent, expiresAt: number): Promise<void> {
    const value = Buffer.from(JSON.stringify(content), 'utf8');
    await this.vault.seal(nameOf(workspaceId, mailId), value, { ifAbsent: true, expiresAt });
  }

  /** Returns undefined once the content has been destroyed. */
  async open(workspaceId: string, mailId: string): Promise<SiteMailContent | undefined> {
    const value = await this.vault.open(nameOf(workspaceId, mailId));
    return value && (JSON.parse(Buffer.from(value).toString('utf8')) as SiteMailContent);
  }

  /** Idempotent. */
  async destroy(workspaceId: string, mailId: string): Promise<void> {
    await this.vault.destroy(nameOf(workspaceId, mailId));
  }
}

const nameOf = (workspaceId: string, mailId: string) => `site-mail/${workspaceId}/${mailId}`;
