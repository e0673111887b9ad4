import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { InvalidField } from '../../../kernel/refusals/refusal.js';
import type { SetWebhookVerification, VerificationRecord } from './verification.operations.js';
import type { HmacScheme, SignatureScheme, WebhookVerification } from './webhook.record.js';
import { checkSecret } from './webhook-secret.js';

const defaultTolerance = 300;
const ofHmac = ['header', 'algorithm', 'encoding', 'prefix', 'timestampHeader', 'signed'] as const;
const withScheme = ['secret', 'newSecret', 'removePrevious', 'previousUntil', 'toleranceSeconds', ...ofHmac] as const;

type Input = Omit<SetWebhookVerification, 'id'>;

/**
 * Rules that the schema cannot express: fields that belong together, and combinations without effect. @throws Refusal
 * invalid-input
 */
export function wantedSignature(input: Input, now: number): SignatureScheme | null {
  const signature = signatureOf(input);
  const errors = [...misplaced(input, signature), ...contradictions(input, now)];
  if (errors.length > 0) refuseInput(errors);
  if (signature !== null && input.secret !== undefined) checkSecret(signature.scheme, input.secret);
  return signature;
}

function signatureOf(input: Input): SignatureScheme | null {
  const { scheme, toleranceSeconds = defaultTolerance } = input;
  switch (scheme) {
    case null:
      return null;
    case 'github':
      return { scheme };
    case 'standard-webhooks':
    case 'stripe':
      return { scheme, toleranceSeconds };
    case 'hmac':
      return hmacOf(input);
  }
}

function hmacOf(input: Input): HmacScheme {
  const { header, algorithm = 'sha256', encoding = 'hex', prefix = '', timestampHeader, toleranceSeconds } = input;
  const { signed = timestampHeader === undefined ? 'body' : 'timestamp.body' } = input;
  if (header === undefined) return refuseInput([{ path: 'header', message: "is required with scheme 'hmac'" }]);
  const plain = { scheme: 'hmac', header, algorithm, encoding, prefix } as const;
  if (timestampHeader === undefined) {
    if (signed === 'body') return { ...plain, timestamp: null };
    return refuseInput([{ path: 'timestampHeader', message: `is required where '${signed}' is signed` }]);
  }
  if (signed === 'body') {
    return refuseInput([{ path: 'signed', message: 'must hold the timestamp: one that is not signed proves nothing' }]);
  }
  return {
    ...plain,
    timestamp: { header: timestampHeader, signed, toleranceSeconds: toleranceSeconds ?? defaultTolerance },
  };
}

function misplaced(input: Input, signature: SignatureScheme | null): readonly InvalidField[] {
  const sent = <Name extends keyof Input>(names: readonly Name[], message: string) =>
    names.flatMap((path) => (input[path] === undefined ? [] : [{ path, message }]));
  if (signature === null) return sent(withScheme, 'says nothing where scheme is null');
  const strange = signature.scheme === 'hmac' ? [] : sent(ofHmac, "belongs to scheme 'hmac'");
  const timeless = signature.scheme === 'github' || (signature.scheme === 'hmac' && signature.timestamp === null);
  return [...strange, ...(timeless ? sent(['toleranceSeconds'], 'says nothing where no time is signed') : [])];
}

function contradictions(input: Input, now: number): readonly InvalidField[] {
  const { secret, newSecret = false, removePrevious = false, previousUntil } = input;
  return [
    ...(secret !== undefined && newSecret ? [{ path: 'newSecret', message: 'must not be true beside a secret' }] : []),
    ...(removePrevious && previousUntil !== undefined
      ? [{ path: 'previousUntil', message: 'must be left out where removePrevious is true' }]
      : []),
    ...(typeof previousUntil === 'string' && Date.parse(previousUntil) <= now
      ? [{ path: 'previousUntil', message: 'must be in the future; removePrevious true ends it now' }]
      : []),
  ];
}

export function verificationRecord(verification: WebhookVerification | null): VerificationRecord | null {
  if (verification === null) return null;
  const { signature, previous } = verification;
  const secrets = previous === null ? 1 : 2;
  return { ...shownOf(signature), secrets, previousUntil: previous?.until ?? null };
}

type Shown = Omit<VerificationRecord, 'secrets' | 'previousUntil'>;

function shownOf(signature: SignatureScheme): Shown {
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
