import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import type { PaymentEffects } from '../../areas/payments/payment/payment-effects.api.js';
import type { TestMoney } from '../../areas/payments/payment/test-money.api.js';
import { PaymentsGiveWhatWasBought } from './payments-give-what-was-bought.saga.js';

const sagaOn = (stage: Stage) =>
  new PaymentsGiveWhatWasBought(
    stage.noting<PaymentEffects>({ follow: 'follows', settleUses: 'settles the uses of' }),
    stage.noting<TestMoney>({ follow: 'works out test money' }),
  );

describe('the access after a payment', () => {
  it.each([
    'SitePaymentStarted',
    'SitePaymentApproved',
    'SitePaymentRejected',
    'SitePaymentHeardOf',
    'SitePaymentExpired',
  ])('is granted after %s', (type) => {
    const stage = new Stage();
    const saga = sagaOn(stage);
    return givenSaga(saga, stage)
      .gets(of('sitePayment', 'pay_1', { type, data: {} }))
      .does(['follows', 'ws_spec', 'pay_1', expect.any(Function)]);
  });

  it('is counted on a coupon whose deletion is undone', async () => {
    const stage = new Stage();
    return givenSaga(sagaOn(stage), stage)
      .gets(of('coupon', 'cpn_1', { type: 'CouponRestored', data: {} }))
      .does(['settles the uses of', 'ws_spec', 'cpn_1', expect.any(Function)]);
  });

  it('is computed again for test money when the mode changes', async () => {
    const stage = new Stage();
    return givenSaga(sagaOn(stage), stage)
      .gets(of('processorConnection', 'proj_1', { type: 'ProcessorModeSet', data: {} }))
      .does(['works out test money', 'ws_spec', 'proj_1', expect.any(Function)]);
  });
});
