import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Vault } from '../../../ports/vault.port.js';
import { localPartOf } from './mailhook.js';
import { type Mailhook, mailhookAddressName, mailhookAddressText } from './mailhook.record.js';

/** The address of a mailhook is a secret. The vault stores the part before the @. */
@Injectable()
export class MailhookAddresses {
  constructor(
    private readonly vault: Vault,
    private readonly environment: Environment,
  ) {}

  /** Creates an address. Must be called before the event that refers to the address is recorded. */
  async draw(call: OperationContext, id: string): Promise<{ readonly address: string; readonly addressHash: string }> {
    const localPart = localPartOf(call.newToken());
    await this.vault.seal(mailhookAddressName(call.workspaceId, id), Buffer.from(localPart));
    return { address: this.addressWith(localPart), addressHash: this.vault.derive(mailhookAddressText(localPart)) };
  }

  /**
   * Null after a deleted mailhook is restored, because the deletion destroyed the stored address. Mail to the address
   * still starts the target.
   */
  async find({ workspaceId, id }: Mailhook): Promise<string | null> {
    const localPart = await this.vault.open(mailhookAddressName(workspaceId, id));
    return localPart === undefined ? null : this.addressWith(Buffer.from(localPart).toString());
  }

  private addressWith(localPart: string): string {
    return `${localPart}@${this.environment.mailIn.domain}`;
  }
}
