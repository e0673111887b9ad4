import { Injectable } from '@nestjs/common';
import { RecordedSecrets } from '../../engine/records/recorded-secrets.js';
import type { Saga } from '../../engine/sagas/saga.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import { recordKind, secretTypes } from '../../kernel/record/record.js';

/**
 * Makes a secret permanent once an event that refers to it is recorded, and destroys secrets that were replaced or
 * deleted. This completes calls that were interrupted after their event was recorded.
 */
@Injectable()
export class DestroyReplacedSecrets implements Saga {
  readonly name = 'the-vault-follows-recorded-secrets';
  readonly reads = secretTypes();

  constructor(private readonly secrets: RecordedSecrets) {}

  async react(event: RecordedEvent): Promise<void> {
    const { category, workspaceId } = parseStream(event.stream);
    const kind = recordKind(category);
    if (kind !== undefined) await this.secrets.follow(kind, workspaceId, event);
  }
}
