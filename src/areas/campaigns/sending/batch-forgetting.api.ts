import { Injectable } from '@nestjs/common';
import { Journal } from '../../../engine/journal/journal.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { campaignBatchId } from './campaign-batch.js';
import { campaignBatchCategory } from './campaign-batch.record.js';

@Injectable()
export class BatchForgetting {
  constructor(private readonly journal: Journal) {}

  /**
   * Removes the events of all batches of the campaign, except the last event of each batch, by which a repeated call
   * finds the batches.
   */
  async of(workspaceId: string, campaignId: string): Promise<void> {
    for (let number = 0; ; number += 1) {
      const stream = streamOf(campaignBatchCategory, workspaceId, campaignBatchId(campaignId, number));
      const last = await this.journal.last(stream);
      if (last === undefined) return;
      await this.journal.prune(stream, last.revision - 1);
    }
  }
}
