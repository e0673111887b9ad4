import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type SigningKey, signingKeyOf } from '../../../kernel/audit-chain/signed-head.js';
import { Vault } from '../../../ports/vault.port.js';

/**
 * What heads are signed with. It follows from the master key, so every process has the same one, and a log that is
 * carried elsewhere, which takes the master key with it, goes on under it.
 */
@Injectable()
export class SealKey {
  private made: SigningKey | undefined;

  constructor(private readonly vault: Vault) {}

  get signing(): SigningKey {
    // A derived token has 192 bits; two of them are more than an Ed25519 key's 256.
    const tokens = [1, 2].map((half) => this.vault.derive(`audit-seal-key/${half}`));
    this.made ??= signingKeyOf(createHash('sha256').update(tokens.join('')).digest());
    return this.made;
  }
}
