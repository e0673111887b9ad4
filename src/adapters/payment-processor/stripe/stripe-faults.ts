import type { Stripe } from 'stripe';
import { ProcessorRefused, ProcessorUnavailable } from '../../../ports/network/payment-processor.port.js';

const longest = 300;
const keys = /\b(?:sk|rk|pk|whsec)_[\w*]+/g;

/**
 * The library's errors can contain keys, so they are replaced by our own.
 * @throws ProcessorRefused, ProcessorUnavailable
 */
export async function translatingErrors<Answer>(
  { errors }: typeof Stripe,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof errors.StripeError)) throw error;
    throw faultOf(errors, error);
  }
}

/** Resolves to undefined if Stripe does not have the object. */
export async function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if ((error as { readonly statusCode?: number }).statusCode === 404) return undefined;
    throw error;
  }
}

function faultOf(errors: typeof Stripe.errors, error: Stripe.errors.StripeError): Error {
  const { StripeAuthenticationError, StripePermissionError, StripeConnectionError, StripeRateLimitError } = errors;
  // The library's message contains a part of the key.
  if (error instanceof StripeAuthenticationError) return new ProcessorRefused('it does not accept the secret key.');
  if (error instanceof StripePermissionError) {
    return new ProcessorRefused('the secret key does not have the permissions for this request.');
  }
  if (error instanceof StripeConnectionError) return new ProcessorUnavailable('it did not answer.');
  if (error instanceof StripeRateLimitError || error.statusCode === 429) {
    return new ProcessorUnavailable('its rate limit is reached.');
  }
  const { statusCode = 500 } = error;
  if (statusCode >= 500) return new ProcessorUnavailable(`it answered with the status ${statusCode}.`);
  return new ProcessorRefused(sentence(error.message));
}

function sentence(text: string): string {
  const line = text
    .replace(keys, '…')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const cut = line.length > longest ? `${line.slice(0, longest)}…` : line;
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`;
}
