import type { ValuesOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import { schemes, signedContents } from './verification-view.js';
import { type HmacScheme, hmacAlgorithms, hmacEncodings, type SignatureScheme } from './webhook.record.js';
import { checkSecret } from './webhook-secret.js';

const defaultTolerance = 300;
const hmacNames = ['header', 'algorithm', 'encoding', 'prefix', 'timestampHeader', 'signed'] as const;
const withScheme = [
  'secret',
  'newSecret',
  'removePrevious',
  'previousUntil',
  'toleranceSeconds',
  ...hmacNames,
] as const;

const header = { type: 'string', pattern: /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/ } as const;
const ofHmac = "Only for scheme 'hmac'.";

export const verificationInput = {
  id: idField,
  scheme: { type: 'string', enum: schemes, nullable: true, description: 'null if deliveries are not verified.' },
  secret: {
    type: 'string',
    minLength: 1,
    maxLength: 1_000,
    optional: true,
    password: true,
    description:
      'The secret with which the sender signs. No operation returns it. If omitted, the current secret of this scheme is retained; if there is none, one is generated.',
  },
  newSecret: { type: 'boolean', optional: true, description: 'true generates a new secret.' },
  removePrevious: {
    type: 'boolean',
    optional: true,
    description: 'true stops accepting the previous secret, including one that this call replaces.',
  },
  previousUntil: {
    type: 'string',
    format: 'date-time',
    nullable: true,
    optional: true,
    description: 'When the previous secret stops being accepted. null if it is accepted until it is removed.',
  },
  toleranceSeconds: {
    type: 'integer',
    minimum: 30,
    maximum: 3_600,
    optional: true,
    description:
      "Maximum difference between the signed time and the service's clock, in either direction. Default: 300.",
  },
  header: { ...header, optional: true, description: `Name of the header with the signature. ${ofHmac}` },
  algorithm: { type: 'string', enum: hmacAlgorithms, optional: true, description: `Default: sha256. ${ofHmac}` },
  encoding: { type: 'string', enum: hmacEncodings, optional: true, description: `Default: hex. ${ofHmac}` },
  prefix: {
    type: 'string',
    pattern: /^[\x21-\x2b\x2d-\x7e]{0,50}$/,
    optional: true,
    description: `Text before the signature, such as sha256=. Default: none. ${ofHmac}`,
  },
  timestampHeader: {
    ...header,
    optional: true,
    description: `Name of the header with the Unix time, in seconds or milliseconds. ${ofHmac}`,
  },
  signed: {
    type: 'string',
    enum: signedContents,
    optional: true,
    description: `The content that is signed. Default: timestamp.body if there is a timestampHeader, otherwise body. ${ofHmac}`,
  },
} as const;

type Input = Omit<ValuesOf<typeof verificationInput>, 'id'>;

export function signatureFrom(input: Input, now: number): SignatureScheme | null {
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
    return refuseInput([{ path: 'timestampHeader', message: `is required if '${signed}' is signed` }]);
  }
  if (signed === 'body') {
    return refuseInput([
      { path: 'signed', message: 'must contain the timestamp: an unsigned timestamp proves nothing' },
    ]);
  }
  return {
    ...plain,
    timestamp: { header: timestampHeader, signed, toleranceSeconds: toleranceSeconds ?? defaultTolerance },
  };
}

function misplaced(input: Input, signature: SignatureScheme | null): readonly InvalidField[] {
  const sent = <Name extends keyof Input>(names: readonly Name[], message: string) =>
    names.flatMap((path) => (input[path] === undefined ? [] : [{ path, message }]));
  if (signature === null) return sent(withScheme, 'has no effect if scheme is null');
  const strange = signature.scheme === 'hmac' ? [] : sent(hmacNames, "is only for scheme 'hmac'");
  const timeless = signature.scheme === 'github' || (signature.scheme === 'hmac' && signature.timestamp === null);
  return [...strange, ...(timeless ? sent(['toleranceSeconds'], 'has no effect if no time is signed') : [])];
}

function contradictions(input: Input, now: number): readonly InvalidField[] {
  const { secret, newSecret = false, removePrevious = false, previousUntil } = input;
  return [
    ...(secret !== undefined && newSecret
      ? [{ path: 'newSecret', message: 'must not be true if secret is sent' }]
      : []),
    ...(removePrevious && previousUntil !== undefined
      ? [{ path: 'previousUntil', message: 'must not be sent if removePrevious is true' }]
      : []),
    ...(typeof previousUntil === 'string' && Date.parse(previousUntil) <= now
      ? [{ path: 'previousUntil', message: 'must be in the future; send removePrevious true to end it now' }]
      : []),
  ];
}
