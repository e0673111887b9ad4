import { Injectable } from '@nestjs/common';
import { Vault } from '../../../ports/vault.port.js';

export interface SiteMailContent {
  readonly to: string;
  readonly userName: string | null;
  /** Contains a token, so anyone who has the link can use it. */
  readonly link: string | null;
  /** Validity of the link in milliseconds. `null` if the link does not expire. */
  readonly expiresIn: number | null;
  readonly lines: readonly string[];
}

@Injectable()
export class SiteMailContents {
  constructor(private readonly vault: Vault) {}

  async seal(workspaceId: string, mailId: string, content: SiteMailContent, expiresAt: number): Promise<void> {
    const value = Buffer.from(JSON.stringify(content), 'utf8');
    await this.vault.seal(nameOf(workspaceId, mailId), value, { ifAbsent: true, expiresAt });
  }

  async open(workspaceId: string, mailId: string): Promise<SiteMailContent | undefined> {
    const value = await this.vault.open(nameOf(workspaceId, mailId));
    return value && (JSON.parse(Buffer.from(value).toString('utf8')) as SiteMailContent);
  }

  async destroy(workspaceId: string, mailId: string): Promise<void> {
    await this.vault.destroy(nameOf(workspaceId, mailId));
  }
}

const nameOf = (workspaceId: string, mailId: string) => `site-mail/${workspaceId}/${mailId}`;
