import { Injectable } from '@nestjs/common';
import type { Call } from '../../../engine/operation/call.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { draftKeptMs, Vault } from '../../../ports/vault.port.js';
import { WorkspaceRedactors } from '../../functions/capabilities/workspace-redactors.api.js';
import { type EnvVarEvent, envVarValueName } from './env-var.record.js';

/** What a change records, and what is answered of it. */
export interface Recording<Answer> {
  readonly answer: Answer;
  /** Empty where an earlier try of the same command recorded them. */
  readonly events: readonly EnvVarEvent[];
}

/**
 * Secret values in the vault, those of the workspace and those of its sites, whose events are alike. A value is sealed
 * before the event that refers to it, so that no event refers to a missing value. Until that event is recorded the value
 * is a draft, which expires if its call dies in between.
 */
@Injectable()
export class EnvVarValues {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly redactors: WorkspaceRedactors,
  ) {}

  /**
   * First the value is sealed, then the event that refers to it is recorded, then the old value is destroyed. If the
   * process dies in between, the saga that follows the event does the rest.
   */
  async sealing<Answer>(
    call: Call,
    value: string,
    record: (valueId: string) => Promise<Recording<Answer>>,
  ): Promise<Answer> {
    const valueId = call.newId('val');
    await this.draft(call.workspaceId, valueId, value);
    try {
      const { answer, events } = await record(valueId);
      for (const event of events) await this.follow(call.workspaceId, event);
      return answer;
    } catch (error) {
      // A refusal recorded nothing, so discard the draft. After other errors the outcome is unknown; an unused draft
      // expires.
      if (error instanceof Refusal) await this.discard(call.workspaceId, valueId);
      throw error;
    }
  }

  /** May be repeated: an existing value is left as it is. */
  private async draft(workspaceId: string, valueId: string, value: string): Promise<void> {
    const expiresAt = this.clock.now() + draftKeptMs;
    const name = envVarValueName(workspaceId, valueId);
    await this.vault.seal(name, Buffer.from(value, 'utf8'), { ifAbsent: true, expiresAt });
  }

  /** Only for values that no event refers to. */
  private async discard(workspaceId: string, valueId: string): Promise<void> {
    await this.vault.destroy(envVarValueName(workspaceId, valueId));
  }

  /** Carries out a recorded event: keeps the value it refers to and destroys the one it replaces. May be repeated. */
  async follow(workspaceId: string, { type, data }: EnvVarEvent): Promise<void> {
    this.redactors.forget(workspaceId);
    switch (type) {
      case 'EnvVarSet':
        await this.vault.keep(envVarValueName(workspaceId, data.valueId));
        if (data.replaces !== null) await this.discard(workspaceId, data.replaces);
        return;
      case 'EnvVarDeleted':
        return this.discard(workspaceId, data.valueId);
    }
  }
}
