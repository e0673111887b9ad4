import { Injectable } from '@nestjs/common';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { WorkspaceRedactors } from '../../functions/capabilities/workspace-redactors.api.js';
import { type EnvVarEvent, envVarValueName } from './env-var.record.js';

/** Drafts expire after this; longer than any call or outage can take. */
const draftKeptMs = 30 * 24 * 3_600_000;

/**
 * Secret values in the vault. A value is sealed before the event that refers to it, so that no event refers to a
 * missing value. Until that event is recorded the value is a draft, which expires if its call dies in between.
 */
@Injectable()
export class EnvVarValues {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
    private readonly redactors: WorkspaceRedactors,
  ) {}

  /** May be repeated: an existing value is left as it is. */
  async draft(workspaceId: string, valueId: string, value: string): Promise<void> {
    const expiresAt = this.clock.now() + draftKeptMs;
    const name = envVarValueName(workspaceId, valueId);
    await this.vault.seal(name, Buffer.from(value, 'utf8'), { ifAbsent: true, expiresAt });
  }

  /** Only for values that no event refers to. */
  async discard(workspaceId: string, valueId: string): Promise<void> {
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
