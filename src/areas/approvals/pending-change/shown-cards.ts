import { Injectable } from '@nestjs/common';
import type { PendingChangeCard } from '../../../engine/approvals/pending-changes.js';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { Clock } from '../../../ports/clock.port.js';
import { cardOf } from './card.js';
import { type PendingChange, pendingChanges } from './pending-change.record.js';

@Injectable()
export class ShownCards {
  constructor(
    private readonly texts: RecordTexts,
    private readonly clock: Clock,
  ) {}

  /**
   * @param now milliseconds since 1970
   * @throws TextsUnavailable
   */
  async card(change: PendingChange, now = this.clock.now()): Promise<PendingChangeCard> {
    return cardOf(await this.texts.whole({ texts: shownTexts }, change.workspaceId, change), now);
  }
}

/** Cards do not show the input, so its texts are not loaded. */
const shownTexts = (pendingChanges.texts ?? []).filter((path) => path.startsWith('changes.'));
