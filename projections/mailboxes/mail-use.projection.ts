import type { MailUse, RecordedMailEvent } from '../../src/areas/mailboxes/mail/mail.record.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { type DocumentChange, type On, projection, step } from '../../src/kernel/record/projection.js';

function used(stream: string, next: (use: MailUse) => MailUse): readonly DocumentChange[] {
  const { workspaceId, id } = parseStream(stream);
  const unused: MailUse = { id, workspaceId, hour: { startedAt: null, count: 0 }, last: null, oldestAt: null };
  return [step<MailUse>('mailUses', id, (use) => next(use ?? unused))];
}

const mailed = (stream: string, at: string, error: string | null) =>
  used(stream, (use) => ({ ...use, last: { at, error }, oldestAt: use.oldestAt ?? at }));

const on: On<RecordedMailEvent> = {
  MailPlacesTaken: ({ stream, data }) => used(stream, (use) => ({ ...use, hour: data.hour })),
  MailPlacesGivenBack: ({ stream, data }) => used(stream, (use) => ({ ...use, hour: data.hour })),
  MailSent: ({ stream, metadata }) => mailed(stream, metadata.at, null),
  MailFailed: ({ stream, data, metadata }) => mailed(stream, metadata.at, data.error),
  MailsForgotten: ({ stream, data }) => used(stream, (use) => ({ ...use, ...data })),
};

export const mailUsesProjection = projection({
  name: 'mailUses',
  version: 1,
  collections: { mailUses: { indexes: [{ fields: ['workspaceId'] }, { fields: ['oldestAt'] }] } },
  on,
});
