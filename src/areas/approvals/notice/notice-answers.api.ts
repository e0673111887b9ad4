import { Field } from '../../../kernel/field/field.js';
import { CardActorRecord } from '../card-actor.js';
import { type NoticeKind, noticeKinds } from './notice.record.js';

export class NoticeTarget {
  @Field({ type: 'string' }) kind!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

export class NoticeUndo {
  @Field({
    type: 'boolean',
    description:
      'Whether you can undo the change now. false if it has been undone, has expired or cannot be undone, if the record has changed since, or if you lack the rights.',
  })
  available!: boolean;
  @Field({ type: 'string', format: 'date-time' }) expiresAt!: string;
  @Field({
    type: 'string',
    optional: true,
    description: 'Why you cannot undo the change. Only present for changes that you cannot undo.',
  })
  why?: string;
}

export class NoticeRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({
    type: 'string',
    enum: noticeKinds,
    description:
      '`change`: a deletion, or another change that was made without a pending change. `failure`: a failure of mail, a domain, a payment or a publish, which cannot be undone.',
  })
  kind!: NoticeKind;
  @Field({ type: 'string' }) summary!: string;
  @Field({ type: 'object', shape: () => NoticeTarget }) target!: NoticeTarget;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'object', shape: () => CardActorRecord, optional: true, description: 'Who made the change.' })
  by?: CardActorRecord;
  @Field({ type: 'object', shape: () => CardActorRecord, optional: true, description: 'Who approved the change.' })
  approvedBy?: CardActorRecord;
  @Field({ type: 'object', shape: () => NoticeUndo }) undo!: NoticeUndo;
}
