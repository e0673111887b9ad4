import { Injectable } from '@nestjs/common';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.js';
import { Clock } from '../../ports/clock.port.js';
import { Vault } from '../../ports/vault.port.js';

/** Time after which an input expires. It is longer than any card can wait for approval. */
const retentionMs = 8 * 24 * 3_600_000;

/** Inputs are stored only in the vault and not in the log, because they can contain passwords. */
@Injectable()
export class SealedCalls {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** The input is durable when the promise resolves. Only this installation can compute the digest. */
  async seal(workspaceId: string, cardId: string, json: string): Promise<{ readonly digest: string }> {
    const expiresAt = this.clock.now() + retentionMs;
    await this.vault.seal(nameOf(workspaceId, cardId), Buffer.from(json), { expiresAt });
    return { digest: this.digestOf(cardId, json) };
  }

  /** Returns undefined if the input has expired, was destroyed or does not match the digest. */
  async open(workspaceId: string, cardId: string, digest: string): Promise<JsonObject | undefined> {
    const sealed = await this.vault.open(nameOf(workspaceId, cardId));
    if (sealed === undefined) return undefined;
    const json = Buffer.from(sealed).toString('utf8');
    const input = JSON.parse(json) as Json;
    return this.digestOf(cardId, json) === digest && isJsonObject(input) ? input : undefined;
  }

  /**
   * Idempotent. `patient` allows the vault to batch the destruction with others, because inputs are often destroyed in
   * great numbers.
   */
  async destroy(workspaceId: string, cardId: string): Promise<void> {
    await this.vault.destroy(nameOf(workspaceId, cardId), { patient: true });
  }

  private digestOf(cardId: string, json: string): string {
    return this.vault.derive(`asked-call/${cardId}/${json}`);
  }
}

const nameOf = (workspaceId: string, cardId: string) => `askedCall/${workspaceId}/${cardId}`;
