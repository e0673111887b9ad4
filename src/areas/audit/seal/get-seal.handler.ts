import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { fingerprintOf, type SignedHead } from '../../../kernel/audit-chain/signed-head.js';
import { RecordedSeals } from './recorded-seals.js';
import { GetSeal } from './seal.operations.js';
import { SealKey } from './seal-key.api.js';

/** The answer reveals nothing of the audit's content, so it is not recorded as a reading. */
@QueryHandler(GetSeal)
export class GetSealHandler {
  constructor(
    private readonly seals: RecordedSeals,
    private readonly key: SealKey,
  ) {}

  async execute(input: GetSeal): Promise<{ head: SignedHead | null; publicKey: string; fingerprint: string }> {
    const seal = await this.seals.last(callOf(input).workspaceId);
    const { publicKey } = this.key.signing;
    return { head: seal?.data.head ?? null, publicKey, fingerprint: fingerprintOf(publicKey) };
  }
}
