import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import type { BuyerReceipts } from '../../areas/payments/payment/buyer-receipts.api.js';
import { BuyersGetReceipts } from './buyers-get-receipts.saga.js';

describe('a paying user of a site', () => {
  it.each(['SitePaymentApproved', 'SitePaymentHeardOf'])('is mailed a receipt after %s', (type) => {
    const stage = new Stage();
    const saga = new BuyersGetReceipts(stage.noting<BuyerReceipts>({ follow: 'follows' }));
    const event = of('sitePayment', 'pay_1', { type, data: {} });
    return givenSaga(saga, stage)
      .gets(event)
      .does(['follows', event, expect.objectContaining({ commandId: 'receipt' })]);
  });
});
