import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given-saga.js';
import type { PaymentEffects } from '../areas/payments/payment/payment-effects.api.js';
import { PaymentsGiveWhatWasBought } from './payments-give-what-was-bought.saga.js';

describe('what follows a payment', () => {
  it.each([
    'SitePaymentStarted',
    'SitePaymentApproved',
    'SitePaymentRejected',
    'SitePaymentHeardOf',
    'SitePaymentExpired',
  ])('is done after %s', (type) => {
    const stage = new Stage();
    const saga = new PaymentsGiveWhatWasBought(stage.noting<PaymentEffects>({ follow: 'follows' }));
    return givenSaga(saga, stage)
      .gets(of('sitePayment', 'pay_1', { type, data: {} }))
      .does(['follows', 'ws_spec', 'pay_1', expect.any(Function)]);
  });
});
