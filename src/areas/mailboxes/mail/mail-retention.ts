import { Injectable } from '@nestjs/common';
import { JournalRetention } from '../../../engine/retention/journal-retention.js';
import type { Sweep } from '../../../engine/retention/retention.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { type LastMail, type MailEvent, type MailUse, mailCategory } from './mail.record.js';

/** Records of mails are retained for as long as records of runs. */
@Injectable()
export class MailRetention {
  readonly sweep: Sweep;

  constructor(retention: JournalRetention) {
    this.sweep = retention.add<MailUse>({
      name: 'mail-retention',
      collection: 'mailUses',
      age: 'oldestAt',
      stream: ({ workspaceId, id }) => streamOf(mailCategory, workspaceId, id),
      type: 'MailsForgotten',
      // The event contains the outcome of the last mail, so it is written only if no other event was recorded since the
      // read.
      counts: true,
      data: async (_, { keptFrom, last }) => ({
        oldestAt: keptFrom,
        last: lastMail(last as RecordedEvent & MailEvent),
      }),
    });
  }
}

function lastMail({ type, data, metadata: { at } }: RecordedEvent & MailEvent): LastMail | null {
  switch (type) {
    case 'MailSent':
      return { at, error: null };
    case 'MailFailed':
      return { at, error: data.error };
    case 'MailsForgotten':
      return data.last;
  }
}
