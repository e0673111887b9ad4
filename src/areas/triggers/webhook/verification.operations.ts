import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { type HmacAlgorithm, type HmacEncoding, hmacAlgorithms, hmacEncodings } from './webhook.record.js';

export const schemes = ['standard-webhooks', 'github', 'stripe', 'hmac'] as const;
export const signedContents = ['body', 'timestamp.body', 'v0:timestamp:body'] as const;
export type SignedContent = (typeof signedContents)[number];

const header = { type: 'string', pattern: /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/ } as const;
const ofHmac = "Of scheme 'hmac' alone.";

/** How a webhook verifies deliveries, without its secrets. */
export class VerificationRecord {
  @Field({ type: 'string', enum: schemes }) scheme!: (typeof schemes)[number];
  @Field({ type: 'string', description: 'Where the signature stands.' }) header!: string;
  @Field({ type: 'string', enum: hmacAlgorithms }) algorithm!: HmacAlgorithm;
  @Field({ type: 'string', enum: hmacEncodings }) encoding!: HmacEncoding;
  @Field({ type: 'string', description: 'What stands before the signature.' }) prefix!: string;
  @Field({ type: 'string', nullable: true, description: 'null: there is no header for it alone.' })
  timestampHeader!: string | null;
  @Field({ type: 'string', enum: [...signedContents, 'id.timestamp.body'] }) signed!: string;
  @Field({ type: 'integer', nullable: true, description: 'null: no time is signed.' })
  toleranceSeconds!: number | null;
  @Field({ type: 'integer', description: '2: the previous one is accepted as well.' }) secrets!: 1 | 2;
  @Field({ type: 'string', format: 'date-time', nullable: true, description: 'When the previous one ends by itself.' })
  previousUntil!: string | null;
}

@Operation('automations/setWebhookVerification', {
  summary: 'Sets how deliveries of a webhook have to be signed; what is not signed so runs nothing.',
  source: 'Beyond the Automations API, Triggers and runs',
  group: 'webhooks',
  effect: 'command',
  permission: 'functions.edit',
  callers: ['person'],
  tools: 'never',
  outside: ['destroys secrets'],
  answers: {
    fields: {
      verification: { type: 'object', shape: () => VerificationRecord, nullable: true },
      secret: { type: 'string', optional: true, description: 'The one that was made here; shown this once.' },
    },
  },
})
export class SetWebhookVerification {
  @Field({ type: 'string', minLength: 1, maxLength: 200 }) id!: string;
  @Field({ type: 'string', enum: schemes, nullable: true, description: 'null: deliveries are not verified.' })
  scheme!: (typeof schemes)[number] | null;
  @Field({
    type: 'string',
    minLength: 1,
    maxLength: 1_000,
    optional: true,
    password: true,
    description:
      'The one that the sender signs with, answered by no operation. Left out, the one there is stays; where there is none of this scheme, one is made.',
  })
  secret?: string;
  @Field({ type: 'boolean', optional: true, description: 'true: a new secret is made.' })
  newSecret?: boolean;
  @Field({
    type: 'boolean',
    optional: true,
    description: 'true: the secret before the current one is accepted no more, also when this call makes it that.',
  })
  removePrevious?: boolean;
  @Field({
    type: 'string',
    format: 'date-time',
    nullable: true,
    optional: true,
    description: 'When the previous secret ends by itself; null: not before it is taken out.',
  })
  previousUntil?: string | null;
  @Field({
    type: 'integer',
    minimum: 30,
    maximum: 3_600,
    optional: true,
    description: 'How far the time that is signed may be from ours, either way. Left out: 300.',
  })
  toleranceSeconds?: number;
  @Field({ ...header, optional: true, description: `Where the signature stands. ${ofHmac}` }) header?: string;
  @Field({ type: 'string', enum: hmacAlgorithms, optional: true, description: `Left out: sha256. ${ofHmac}` })
  algorithm?: HmacAlgorithm;
  @Field({ type: 'string', enum: hmacEncodings, optional: true, description: `Left out: hex. ${ofHmac}` })
  encoding?: HmacEncoding;
  @Field({
    type: 'string',
    pattern: /^[\x21-\x2b\x2d-\x7e]{0,50}$/,
    optional: true,
    description: `What stands before the signature, such as sha256=. Left out: nothing. ${ofHmac}`,
  })
  prefix?: string;
  @Field({ ...header, optional: true, description: `Unix time, in seconds or milliseconds. ${ofHmac}` })
  timestampHeader?: string;
  @Field({
    type: 'string',
    enum: signedContents,
    optional: true,
    description: `Left out: timestamp.body where there is a timestampHeader, or else body. ${ofHmac}`,
  })
  signed?: SignedContent;
}
