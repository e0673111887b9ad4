import { Field } from '../../../kernel/field/field.js';
import {
  type HmacAlgorithm,
  type HmacEncoding,
  hmacAlgorithms,
  hmacEncodings,
  type SignatureScheme,
  type WebhookVerification,
} from './webhook.record.js';

export const schemes = ['standard-webhooks', 'github', 'stripe', 'hmac'] as const;
export const signedContents = ['body', 'timestamp.body', 'v0:timestamp:body'] as const;

export class VerificationRecord {
  @Field({ type: 'string', enum: schemes }) scheme!: (typeof schemes)[number];
  @Field({ type: 'string', description: 'Name of the header with the signature.' }) header!: string;
  @Field({ type: 'string', enum: hmacAlgorithms }) algorithm!: HmacAlgorithm;
  @Field({ type: 'string', enum: hmacEncodings }) encoding!: HmacEncoding;
  @Field({ type: 'string', description: 'Text before the signature.' }) prefix!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Name of the header with the time. null if there is no separate header for it.',
  })
  timestampHeader!: string | null;
  @Field({ type: 'string', enum: [...signedContents, 'id.timestamp.body'] }) signed!: string;
  @Field({ type: 'integer', nullable: true, description: 'null if no time is signed.' })
  toleranceSeconds!: number | null;
  @Field({ type: 'integer', description: 'Number of accepted secrets. 2 if the previous one is accepted as well.' })
  secrets!: 1 | 2;
  @Field({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description:
      'When the previous secret stops being accepted. null if there is none, or if it is accepted until it is removed.',
  })
  previousUntil!: string | null;
}

export function verificationRecord(verification: WebhookVerification | null): VerificationRecord | null {
  if (verification === null) return null;
  const { signature, previous } = verification;
  const secrets = previous === null ? 1 : 2;
  return { ...shownOf(signature), secrets, previousUntil: previous?.until ?? null };
}

type ShownScheme = Omit<VerificationRecord, 'secrets' | 'previousUntil'>;

function shownOf(signature: SignatureScheme): ShownScheme {
  const plain = { algorithm: 'sha256', encoding: 'hex', timestampHeader: null } as const;
  switch (signature.scheme) {
    case 'standard-webhooks': {
      const timestampHeader = 'webhook-timestamp';
      const how = { encoding: 'base64', prefix: 'v1,', timestampHeader, signed: 'id.timestamp.body' } as const;
      return { ...plain, ...how, header: 'webhook-signature', ...signature };
    }
    case 'github': {
      const how = { prefix: 'sha256=', signed: 'body', toleranceSeconds: null } as const;
      return { ...plain, ...how, header: 'X-Hub-Signature-256', ...signature };
    }
    case 'stripe':
      return { ...plain, header: 'Stripe-Signature', prefix: 'v1=', signed: 'timestamp.body', ...signature };
    case 'hmac': {
      const { timestamp, ...rest } = signature;
      const { header = null, signed = 'body', toleranceSeconds = null } = timestamp ?? {};
      return { ...rest, timestampHeader: header, signed, toleranceSeconds };
    }
  }
}
