import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../../../kernel/json/json.js';
import { Clock } from '../../../../ports/clock.port.js';
import { Vault } from '../../../../ports/vault.port.js';
import { inputRetainedMs } from '../run.js';
import { runInputName } from '../run.record.js';
import type { RunRequest } from '../run-request.api.js';

/** Inputs are stored only in the vault, because they can contain the sender's secrets. */
@Injectable()
export class RunInputs {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the input is durable. The vault deletes it after `inputRetainedMs`. */
  async seal({ workspaceId, runId, params }: RunRequest): Promise<void> {
    const expiresAt = this.clock.now() + inputRetainedMs;
    await this.vault.seal(runInputName(workspaceId, runId), Buffer.from(JSON.stringify(params)), { expiresAt });
  }

  async open(workspaceId: string, runId: string): Promise<JsonObject | undefined> {
    const sealed = await this.vault.open(runInputName(workspaceId, runId));
    return sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as JsonObject);
  }

  /** The vault batches destructions, so this takes a while. Idempotent. */
  async destroy(workspaceId: string, runId: string): Promise<void> {
    await this.vault.destroy(runInputName(workspaceId, runId), { patient: true });
  }
}
