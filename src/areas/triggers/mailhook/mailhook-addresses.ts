import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import type { Call } from '../../../engine/operation/call.js';
import { Vault } from '../../../ports/vault.port.js';
import { localPartOf } from './mailhook.js';
import { type Mailhook, mailhookAddressName, mailhookAddressText } from './mailhook.record.js';

/** The secret addresses of mailhooks. The vault has the part before the @ of each. */
@Injectable()
export class MailhookAddresses {
  constructor(
    private readonly vault: Vault,
    private readonly environment: Environment,
  ) {}

  /** A new one, which is stored before the event that needs it is recorded. */
  async draw(call: Call, id: string): Promise<{ readonly address: string; readonly addressHash: string }> {
    const localPart = localPartOf(call.newToken());
    await this.vault.seal(mailhookAddressName(call.workspaceId, id), Buffer.from(localPart));
    return { address: this.addressWith(localPart), addressHash: this.vault.derive(mailhookAddressText(localPart)) };
  }

  /** Null: it was destroyed when the mailhook was deleted. It came back, and mail to the address starts its target again. */
  async find({ workspaceId, id }: Mailhook): Promise<string | null> {
    const localPart = await this.vault.open(mailhookAddressName(workspaceId, id));
    return localPart === undefined ? null : this.addressWith(Buffer.from(localPart).toString());
  }

  private addressWith(localPart: string): string {
    return `${localPart}@${this.environment.mailIn.domain}`;
  }
}
