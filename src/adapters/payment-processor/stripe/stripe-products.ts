import { hash } from 'node:crypto';
import type { Stripe } from 'stripe';
import { canonicalJson } from '../../../kernel/json/canonical-json.js';
import type {
  ProcessorPrice,
  ProcessorProduct,
  RequestedProduct,
} from '../../../ports/network/payment-processor.port.js';
import { fromStripe, toStripe } from './stripe-amounts.js';
import { unlessMissing } from './stripe-faults.js';

const page = 100;
const most = 1_000;

export async function productsOf(stripe: Stripe): Promise<readonly ProcessorProduct[]> {
  const found: ProcessorProduct[] = [];
  for await (const product of stripe.products.list({ limit: page, expand: ['data.default_price'] })) {
    found.push(shownProduct(product));
    if (found.length === most) break;
  }
  return found;
}

/** Idempotent. An existing price is never changed; instead, another price becomes the product's default. */
export async function putProduct(stripe: Stripe, product: RequestedProduct): Promise<ProcessorProduct> {
  const { id, name, description, imageUrl, active, price } = product;
  const before = await unlessMissing(stripe.products.retrieve(id, { expand: ['default_price'] }));
  const images = imageUrl === null ? [] : [imageUrl];
  if (before === undefined) {
    const made = await stripe.products.create(
      { id, name, active, images, default_price_data: priceData(price), ...described(description) },
      { idempotencyKey: `countersign-product-${id}-${digestOf(product)}` },
    );
    return { ...shownProduct(made), price };
  }
  const shown = shownProduct(before);
  const samePrice = shown.price !== null && digestOf(shown.price) === digestOf(price);
  const same =
    before.name === name &&
    (before.description ?? '') === description &&
    before.active === active &&
    before.images.join() === images.join();
  if (same && samePrice) return shown;
  const newPrice = samePrice ? {} : { default_price: (await priceFor(stripe, id, price)).id };
  const after = await stripe.products.update(id, { name, description, active, images, ...newPrice });
  return { ...shownProduct(after), price };
}

export async function createProduct(
  stripe: Stripe,
  { name, description, price }: Pick<RequestedProduct, 'name' | 'description' | 'price'>,
  idempotencyKey: string,
): Promise<ProcessorProduct> {
  const product = { name, default_price_data: priceData(price), ...described(description) };
  return { ...shownProduct(await stripe.products.create(product, { idempotencyKey })), price };
}

async function priceFor(stripe: Stripe, product: string, price: ProcessorPrice): Promise<Stripe.Price> {
  for await (const one of stripe.prices.list({ product, active: true, limit: page })) {
    const found = shownPrice(one);
    if (found !== null && digestOf(found) === digestOf(price)) return one;
  }
  const key = `countersign-price-${product}-${digestOf(price)}`;
  return stripe.prices.create({ product, ...priceData(price) }, { idempotencyKey: key });
}

export function priceData({ amount, currency, billing }: ProcessorPrice) {
  const recurring = billing && { interval: billing.interval, interval_count: billing.count };
  return { currency, unit_amount: toStripe(amount, currency), ...(recurring === null ? {} : { recurring }) };
}

/** Stripe refuses an empty description when a product is created. */
const described = (description: string) => (description === '' ? {} : { description });

function shownProduct({ id, name, description, active, default_price: price }: Stripe.Product): ProcessorProduct {
  return { id, name, description, active, price: typeof price === 'string' ? null : shownPrice(price) };
}

function shownPrice(price: Stripe.Price | null | undefined): ProcessorPrice | null {
  if (price === null || price === undefined || price.unit_amount === null) return null;
  const { unit_amount: inTheirs, currency, recurring } = price;
  const amount = fromStripe(inTheirs, currency);
  // Old prices in isk can contain fractions, which cannot be shown.
  if (!Number.isInteger(amount)) return null;
  const interval = (['day', 'week', 'month', 'year'] as const).find((unit) => unit === recurring?.interval);
  const billing = interval === undefined || recurring === null ? null : { interval, count: recurring.interval_count };
  return { amount, currency, billing };
}

/** Equal requests have the same idempotency key, so they create one object. */
function digestOf(requested: ProcessorPrice | RequestedProduct): string {
  return hash('sha256', canonicalJson(requested), 'hex').slice(0, 16);
}
