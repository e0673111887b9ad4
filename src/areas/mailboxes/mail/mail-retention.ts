import { Injectable } from '@nestjs/common';
import { JournalRetention } from '../../../engine/retention/journal-retention.js';
import type { Sweep } from '../../../engine/retention/retention.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { type LastMail, type MailEvent, type MailUse, mailCategory } from './mail.record.js';

/** Deletes the records of mails after the same time as the records of functions' runs. */
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
      // `last` is copied from the newest event of the stream, so the append fails if another event was recorded after
      // it was read.
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
