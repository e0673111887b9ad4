import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import type { ProcessorProduct, RequestedProduct } from '../../../ports/network/payment-processor.port.js';
import type { Offer } from '../offer/offer.record.js';
import { Offers } from '../offer/offers.api.js';
import { ProcessorAccounts } from './processor-accounts.api.js';
import { ofProcessor } from './processor-connection.operations.js';

const units = ['day', 'week', 'month', 'year'] as const;

const ProcessorProductRecord = shapeOf('ProcessorProductRecord', {
  id: { type: 'string', description: "The processor's id of the product." },
  name: { type: 'string' },
  description: { type: 'string', nullable: true },
  active: { type: 'boolean' },
  amount: {
    type: 'integer',
    nullable: true,
    description: 'Price in minor units. null if the product has no default price, or one that cannot be shown here.',
  },
  currency: { type: 'string', nullable: true },
  interval: {
    type: 'string',
    enum: units,
    nullable: true,
    description: 'Billing interval. null if the price is paid once.',
  },
  intervalCount: { type: 'integer', nullable: true },
});

export const processorProductOperations = [
  // Free offers have no product. Products of deleted offers do not change.
  command('site/syncProcessorProducts', {
    ...ofProcessor,
    summary: 'Creates or updates the offers of a project as products at the processor. Deletes nothing there.',
    outside: ['sends requests'],
    answers: success,
    input: { projectId: idField },
    inject: [ProcessorAccounts, Offers],
    handle: async ({ projectId }, { workspaceId }, accounts, offers) => {
      const mode = await accounts.modeOf(workspaceId, projectId);
      const all = await offers.all(workspaceId, projectId);
      const products = all.filter(({ amount }) => amount > 0).map(productOf);
      await accounts.request({ workspaceId, projectId, mode }, async (processor, account) => {
        for (const product of products) await processor.putProduct(account, product);
      });
      return { success: true };
    },
  }),
  query('site/listProcessorProducts', {
    ...ofProcessor,
    summary: 'Lists at most 1,000 products at the processor, including those that do not belong to the project.',
    answers: { list: ProcessorProductRecord },
    input: {
      projectId: idField,
      mode: { type: 'string', enum: ['test', 'live'], optional: true, description: 'Default: the current mode.' },
    },
    inject: [ProcessorAccounts],
    handle: async ({ projectId, mode: sent }, { workspaceId }, accounts) => {
      const mode = sent ?? (await accounts.modeOf(workspaceId, projectId));
      const found = await accounts.request({ workspaceId, projectId, mode }, (processor, account) =>
        processor.products(account),
      );
      return found.map(shownProduct);
    },
  }),
  command('site/createProcessorProduct', {
    ...ofProcessor,
    summary: 'Creates a product at the processor, in the current mode. It does not become an offer of the project.',
    outside: ['sends requests'],
    answers: { record: ProcessorProductRecord },
    input: {
      projectId: idField,
      name: nameField,
      amount: { type: 'integer', minimum: 0, maximum: 999_999_999_999, description: 'Price in minor units.' },
      description: { type: 'string', maxLength: 2_000, optional: true },
      currency: {
        type: 'string',
        pattern: /^[A-Za-z]{3}$/,
        optional: true,
        default: 'usd',
        description: 'ISO 4217 code.',
      },
      interval: {
        type: 'string',
        enum: units,
        optional: true,
        description: 'Billing interval of a subscription. If omitted, the price is paid once.',
      },
      intervalCount: { type: 'integer', minimum: 1, maximum: 365, optional: true, default: 1 },
    },
    inject: [ProcessorAccounts],
    handle: async ({ projectId, name, amount, ...sent }, { workspaceId, commandId }, accounts) => {
      const { description = '', currency = 'usd', interval, intervalCount = 1 } = sent;
      const mode = await accounts.modeOf(workspaceId, projectId);
      const billing = interval === undefined ? null : { interval, count: intervalCount };
      const product = { name, description, price: { amount, currency: currency.toLowerCase(), billing } };
      const key = `countersign-product-${commandId}`;
      const made = await accounts.request({ workspaceId, projectId, mode }, (processor, account) =>
        processor.createProduct(account, product, key),
      );
      return shownProduct(made);
    },
  }),
];

function productOf({ projectId, key, name, description, ...offer }: Offer): RequestedProduct {
  const { amount, currency, paymentTerm, imageUrl, isActive: active } = offer;
  const billing = paymentTerm === 'one_time' ? null : { interval: paymentTerm.interval, count: paymentTerm.every };
  // The processor needs a complete https address, so a path of the site is omitted.
  const image = imageUrl?.startsWith('https://') ? imageUrl : null;
  const id = derivedId('countersign', `${projectId}/${key}`);
  return { id, name, description, imageUrl: image, active, price: { amount, currency, billing } };
}

function shownProduct({ price, ...product }: ProcessorProduct) {
  const { amount = null, currency = null, billing = null } = price ?? {};
  const { interval = null, count: intervalCount = null } = billing ?? {};
  return { ...product, amount, currency, interval, intervalCount };
}
