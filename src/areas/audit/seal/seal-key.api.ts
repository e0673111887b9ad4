import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type SigningKey, signingKeyOf } from '../../../kernel/audit-chain/signed-head.js';
import { Vault } from '../../../ports/vault.port.js';

/**
 * The key that signs heads. It is derived from the master key, so every process has the same one, and a log that is
 * moved together with its master key still has it.
 */
@Injectable()
export class SealKey {
  private made: SigningKey | undefined;

  constructor(private readonly vault: Vault) {}

  get signing(): SigningKey {
    // A derived token has 192 bits. An Ed25519 key needs 256, so two tokens are used.
    const tokens = [1, 2].map((half) => this.vault.derive(`audit-seal-key/${half}`));
    this.made ??= signingKeyOf(createHash('sha256').update(tokens.join('')).digest());
    return this.made;
  }
}
