import { Injectable } from '@nestjs/common';
import { Vault } from '../../../ports/vault.port.js';

/** The content of a mail and its recipient. */
export interface SiteMailContent {
  readonly to: string;
  /** `null` if the user gave no name. */
  readonly userName: string | null;
  /** Contains a token, so anyone who has the link can use it. */
  readonly link: string | null;
  /** Validity of the link in milliseconds. `null` if it does not expire. */
  readonly expiresIn: number | null;
  /** The lines of a receipt; empty for other mails. */
  readonly lines: readonly string[];
}

/** Stores the contents of mails in the vault. Each entry expires by itself if it is not destroyed before. */
@Injectable()
export class SiteMailContents {
  constructor(private readonly vault: Vault) {}

  /** Stores the content, unless the mail already has one. Idempotent. */
  async seal(workspaceId: string, mailId: string, content: SiteMailContent, expiresAt: number): Promise<void> {
    const value = Buffer.from(JSON.stringify(content), 'utf8');
    await this.vault.seal(nameOf(workspaceId, mailId), value, { ifAbsent: true, expiresAt });
  }

  /** Returns the content, or undefined if it was destroyed or has expired. */
  async open(workspaceId: string, mailId: string): Promise<SiteMailContent | undefined> {
    const value = await this.vault.open(nameOf(workspaceId, mailId));
    return value && (JSON.parse(Buffer.from(value).toString('utf8')) as SiteMailContent);
  }

  /** Destroys the content. Idempotent. */
  async destroy(workspaceId: string, mailId: string): Promise<void> {
    await this.vault.destroy(nameOf(workspaceId, mailId));
  }
}

const nameOf = (workspaceId: string, mailId: string) => `site-mail/${workspaceId}/${mailId}`;
