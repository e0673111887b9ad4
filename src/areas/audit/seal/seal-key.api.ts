import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type SigningKey, signingKeyOf } from '../../../kernel/audit-chain/signed-head.js';
import { Vault } from '../../../ports/vault.port.js';

/**
 * The key is derived from the master key. An installation with the same master key can therefore seal a copy of the log
 * with the same key.
 */
@Injectable()
export class SealKey {
  private made: SigningKey | undefined;

  constructor(private readonly vault: Vault) {}

  get signing(): SigningKey {
    // An Ed25519 key needs 256 bits, but a derived token has 192. Two tokens are therefore combined.
    const tokens = [1, 2].map((half) => this.vault.derive(`audit-seal-key/${half}`));
    this.made ??= signingKeyOf(createHash('sha256').update(tokens.join('')).digest());
    return this.made;
  }
}
