import { ProcessorRefused } from '../../../ports/network/payment-processor.port.js';

// https://docs.stripe.com/currencies lists these currencies. In all others, Stripe's unit is the minor unit of ISO 4217.
/** ISO 4217 has no minor unit for them, but Stripe counts hundredths, of which the last two digits must be 00. */
const inHundredths: ReadonlySet<string> = new Set(['isk', 'ugx']);
/** ISO 4217 has hundredths, but Stripe counts whole ariary. */
const inWholes = 'mga';
/** Stripe counts thousandths, of which the last digit must be 0. */
const inThousandths: ReadonlySet<string> = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);

/** Stripe accepts only multiples of this number of minor units of ISO 4217. */
export function stripeStepOf(currency: string): number {
  if (currency === inWholes) return 100;
  return inThousandths.has(currency) ? 10 : 1;
}

/**
 * Converts minor units of ISO 4217 to the units that Stripe expects.
 * @throws ProcessorRefused
 */
export function toStripe(amount: number, currency: string): number {
  if (inHundredths.has(currency)) return amount * 100;
  if (currency !== inWholes) return amount;
  if (amount % stripeStepOf(currency) !== 0) {
    throw new ProcessorRefused(
      `it takes only whole ariary, and ${amount} minor units of MGA are not a multiple of 100.`,
    );
  }
  return amount / 100;
}

/**
 * The result is an integer for every amount that this service has sent to Stripe. For other amounts, it can be a
 * fraction.
 */
export function fromStripe(amount: number, currency: string | null): number {
  if (currency === inWholes) return amount * 100;
  return currency !== null && inHundredths.has(currency) ? amount / 100 : amount;
}
