import type { DeliveryHeaders } from './delivery.api.js';
import type { HmacAlgorithm, HmacEncoding, HmacScheme, SignatureScheme } from './webhook.record.js';

export interface Claim {
  readonly algorithm: HmacAlgorithm;
  readonly encoding: HmacEncoding;
  /**
   * At least one of these must be correct, because a sender that rotates its secret signs with the old and the new one.
   */
  readonly signatures: readonly string[];
  /** Precedes the body in the signed text. */
  readonly before: string;
  readonly sent: { readonly seconds: number; readonly toleranceSeconds: number } | null;
  readonly id: string | null;
}

const mostSignatures = 16;
const sha256 = { algorithm: 'sha256', encoding: 'hex', before: '', sent: null, id: null } as const;

export type NoClaim = 'missing' | 'malformed';

export function claimOf(signature: SignatureScheme, headers: DeliveryHeaders): Claim | NoClaim {
  switch (signature.scheme) {
    case 'standard-webhooks':
      return ofStandardWebhooks(signature.toleranceSeconds, headers);
    case 'github':
      return ofGitHub(headers);
    case 'stripe':
      return ofStripe(signature.toleranceSeconds, headers);
    case 'hmac':
      return ofHmac(signature, headers);
  }
}

/**
 * Standard Webhooks sends one or more `v1,<base64>`, separated by spaces. The signed text is `<id>.<timestamp>.<body>`.
 */
function ofStandardWebhooks(toleranceSeconds: number, headers: DeliveryHeaders): Claim | NoClaim {
  const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (id === undefined || timestamp === undefined || given === undefined) return 'missing';
  const seconds = secondsOf(timestamp);
  const signatures = after('v1,', given.split(' '));
  if (seconds === undefined || signatures.length === 0 || !/^[\x21-\x7e]{1,255}$/.test(id)) return 'malformed';
  const sent = { seconds, toleranceSeconds };
  return { ...sha256, encoding: 'base64', signatures, before: `${id}.${timestamp}.`, sent, id };
}

/** GitHub sends `sha256=<hex>`. The signed text is the body. */
function ofGitHub(headers: DeliveryHeaders): Claim | NoClaim {
  const given = headerOf(headers, 'x-hub-signature-256');
  if (given === undefined) return 'missing';
  const signatures = after('sha256=', [given]);
  return signatures.length === 0 ? 'malformed' : { ...sha256, signatures };
}

/**
 * Stripe sends `t=<seconds>` and any number of `v1=<hex>`. The signed text is `<seconds>.<body>`. Other schemes in the
 * header are ignored.
 */
function ofStripe(toleranceSeconds: number, headers: DeliveryHeaders): Claim | NoClaim {
  const given = headerOf(headers, 'stripe-signature');
  if (given === undefined) return 'missing';
  const parts = given.split(',');
  const [timestamp, second] = after('t=', parts);
  const seconds = second === undefined ? secondsOf(timestamp) : undefined;
  const signatures = after('v1=', parts);
  if (seconds === undefined || signatures.length === 0) return 'malformed';
  return { ...sha256, signatures, before: `${timestamp}.`, sent: { seconds, toleranceSeconds } };
}

function ofHmac(scheme: HmacScheme, headers: DeliveryHeaders): Claim | NoClaim {
  const { algorithm, encoding, prefix, timestamp: time } = scheme;
  const given = headerOf(headers, scheme.header);
  const timestamp = time === null ? '' : headerOf(headers, time.header);
  if (given === undefined || timestamp === undefined) return 'missing';
  const signatures = after(prefix, given.split(/[\s,]+/));
  if (signatures.length === 0) return 'malformed';
  const claim = { ...sha256, algorithm, encoding, signatures };
  if (time === null) return claim;
  const seconds = secondsOf(timestamp);
  if (seconds === undefined) return 'malformed';
  const before = time.signed === 'timestamp.body' ? `${timestamp}.` : `v0:${timestamp}:`;
  return { ...claim, before, sent: { seconds, toleranceSeconds: time.toleranceSeconds } };
}

function headerOf(headers: DeliveryHeaders, name: string): string | undefined {
  const key = name.toLowerCase();
  // Objects inherit members such as `constructor`, which are not headers.
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
  return typeof value === 'object' ? value.join(', ') : value;
}

/** Returns at most 16 texts, without the prefix. */
function after(prefix: string, texts: readonly string[]): readonly string[] {
  return texts
    .flatMap((text) => (text.startsWith(prefix) && text !== prefix ? [text.slice(prefix.length)] : []))
    .slice(0, mostSignatures);
}

/** Some senders send milliseconds, which have 13 digits. */
function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\d{1,10}|\d{13})$/.test(text)) return undefined;
  return text.length === 13 ? Number(text) / 1_000 : Number(text);
}
