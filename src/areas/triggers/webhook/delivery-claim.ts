import type { HmacAlgorithm, HmacEncoding, HmacScheme, SignatureScheme } from './webhook.record.js';

/** As they came in; names are in lower case. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What the headers of a delivery say of it, before anything of it is believed. */
export interface Claim {
  readonly algorithm: HmacAlgorithm;
  readonly encoding: HmacEncoding;
  /** One of them has to be right: a sender that changes its secret signs with both. */
  readonly signatures: readonly string[];
  /** What is signed before the body. */
  readonly before: string;
  /** null: the scheme signs no time. */
  readonly sent: { readonly seconds: number; readonly toleranceSeconds: number } | null;
  /** The sender's own id of the delivery, where one is signed. */
  readonly id: string | null;
}

const mostSignatures = 16;
const sha256 = { algorithm: 'sha256', encoding: 'hex', before: '', sent: null, id: null } as const;

/** Why there is no claim: a header is missing, or is not written as the scheme has it. */
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

/** Standard Webhooks: `v1,<base64>` several times with spaces between, over `<id>.<timestamp>.<body>`. */
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

/** GitHub: `sha256=<hex>` over the body. */
function ofGitHub(headers: DeliveryHeaders): Claim | NoClaim {
  const given = headerOf(headers, 'x-hub-signature-256');
  if (given === undefined) return 'missing';
  const signatures = after('sha256=', [given]);
  return signatures.length === 0 ? 'malformed' : { ...sha256, signatures };
}

/** Stripe: `t=<seconds>,v1=<hex>` with any number of v1, over `<seconds>.<body>`. Other schemes in it say nothing. */
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
  // Objects have a `constructor` of their own, which no sender sent.
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
  return typeof value === 'object' ? value.join(', ') : value;
}

/** What stands after the prefix in those that have it. */
function after(prefix: string, texts: readonly string[]): readonly string[] {
  return texts
    .flatMap((text) => (text.startsWith(prefix) && text !== prefix ? [text.slice(prefix.length)] : []))
    .slice(0, mostSignatures);
}

/** Unix time; some senders write milliseconds, which no time of seconds is as long as. */
function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\d{1,10}|\d{13})$/.test(text)) return undefined;
  return text.length === 13 ? Number(text) / 1_000 : Number(text);
}
