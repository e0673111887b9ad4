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
      'False once it is undone or expired, or the record has changed since, or where it is final or not yours to undo.',
  })
  available!: boolean;
  @Field({ type: 'string', format: 'date-time' }) expiresAt!: string;
  @Field({ type: 'string', optional: true, description: 'Of what was taken away: why you cannot undo it.' })
  why?: string;
}

export class NoticeRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({
    type: 'string',
    enum: noticeKinds,
    description: 'change: made at once. failure: of mail, a domain, a payment or a publish; it has no Undo.',
  })
  kind!: NoticeKind;
  @Field({ type: 'string' }) summary!: string;
  @Field({ type: 'object', shape: () => NoticeTarget }) target!: NoticeTarget;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'object', shape: () => CardActorRecord, optional: true, description: 'Who took it away.' })
  by?: CardActorRecord;
  @Field({ type: 'object', shape: () => CardActorRecord, optional: true, description: 'Who approved that.' })
  approvedBy?: CardActorRecord;
  @Field({ type: 'object', shape: () => NoticeUndo }) undo!: NoticeUndo;
}
