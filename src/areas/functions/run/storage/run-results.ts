import { Injectable, Logger } from '@nestjs/common';
import type { Json } from '../../../../kernel/json/json.js';
import { reasonOf } from '../../../../kernel/reason.js';
import { Clock } from '../../../../ports/clock.port.js';
import { Vault } from '../../../../ports/vault.port.js';
import type { RunRequest } from '../run-request.api.js';

const retainedMs = 7 * 24 * 3_600_000;
const tries = 5;

@Injectable()
export class RunResults {
  private readonly log = new Logger('Runs');

  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  /**
   * Must be called before the end of the run is recorded, so that a reader who sees that the run has ended finds its
   * result. Never throws, because the run has succeeded even if its result cannot be stored.
   */
  async store({ workspaceId, runId }: RunRequest, result: Json): Promise<void> {
    const value = Buffer.from(JSON.stringify({ result }));
    const expiresAt = this.clock.now() + retainedMs;
    for (let attempt = 1; attempt <= tries; attempt++) {
      try {
        await this.vault.seal(nameOf(workspaceId, runId), value, { expiresAt });
        return;
      } catch (error) {
        this.log.warn(`The result of run ${runId} could not be stored: ${reasonOf(error)}`);
        if (attempt < tries) await new Promise<void>((resolve) => this.clock.after(1_000 * attempt, resolve));
      }
    }
  }

  async find(workspaceId: string, runId: string): Promise<{ readonly result: Json } | undefined> {
    const sealed = await this.vault.open(nameOf(workspaceId, runId));
    return sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as { readonly result: Json });
  }
}

const nameOf = (workspaceId: string, runId: string) => `run-result/${workspaceId}/${runId}`;
