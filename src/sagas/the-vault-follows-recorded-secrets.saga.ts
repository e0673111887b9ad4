import { Injectable } from '@nestjs/common';
import type { EnvVarEvent } from '../areas/automations/env-var/env-var.events.js';
import { EnvVarValues } from '../areas/automations/env-var/env-var-values.js';
import type { Saga } from '../engine/saga-runner.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';

/** Finishes what a call did not live to do: values that were recorded are kept, those no longer referred to destroyed. */
@Injectable()
export class TheVaultFollowsRecordedSecrets implements Saga {
  readonly name = 'the-vault-follows-recorded-secrets';
  readonly reads = ['EnvVarSet', 'EnvVarDeleted'];

  constructor(private readonly values: EnvVarValues) {}

  async react(event: RecordedEvent): Promise<void> {
    await this.values.follow(parseStream(event.stream).workspaceId, event as EnvVarEvent & RecordedEvent);
  }
}
