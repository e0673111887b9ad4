import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { senderAt } from '../../support/mail/site-mail.js';
import { done } from '../../support/people.js';
import {
  type ProcessorEventBody,
  type StandInProcessor,
  startProcessor,
} from '../../support/servers/payment-processor.js';
import { openShop, type Shop } from '../../support/sites/shops.js';

let server: MailServerForTests;
let processor: StandInProcessor;
let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  server = await MailServerForTests.start({ password: 'pw of the operator', security: 'none' });
  processor = await startProcessor();
  app = await startApp({
    environment: {
      ...senderAt(server, 'pw of the operator'),
      PROCESSOR_URL: processor.url,
      EGRESS_ALLOW: '127.0.0.1',
    },
  });
});
afterAll(async () => {
  await app.close();
  await processor.close();
  await server.close();
});
beforeEach(async () => {
  shop = await openShop(app, processor);
});

const buyer = async () => String((await shop.me(shop.pass))?.['email']);
const receipts = async () => {
  const to = await buyer();
  return server.received.filter((mail) => mail.to.includes(to));
};
const arrived = (count: number) => eventually(receipts, ({ length }) => length === count, 30_000);
/**
 * Waits for the receipt of a later purchase. Sagas follow the order of events, so earlier receipts have then been sent.
 */
const allSent = async (before: number) => {
  const { paymentId } = (await shop.checkout({ offerKey: 'last', method: 'manual' })).body;
  await done(app, 'site/approveManualPayment', { projectId: shop.projectId, paymentId });
  return arrived(before + 1);
};
const last = () => shop.offer({ key: 'last', name: 'Last', amount: 1 });
const deliver = async (...events: readonly ProcessorEventBody[]) => {
  for (const event of events) expect((await shop.deliver(event)).status).toBe(200);
};

describe('a receipt', () => {
  it('is mailed for an approved manual payment, with the amount paid', async () => {
    await shop.offer({ name: 'The <b>Club</b>', amount: 1_990 });
    const { paymentId } = (await shop.checkout({ method: 'manual' })).body;
    await done(app, 'site/approveManualPayment', { projectId: shop.projectId, paymentId });
    const [receipt] = await arrived(1);
    expect(receipt?.mail.subject).toBe('Your receipt from Visited');
    expect(receipt?.mail.text).toContain('The <b>Club</b>: 19.90 USD');
    expect(receipt?.mail.text).toContain(`Payment: ${paymentId}`);
    expect(receipt?.mail.html).not.toContain('<b>');
  });

  it('is not mailed for rejected and free purchases', async () => {
    await shop.offer();
    await last();
    await shop.offer({ key: 'gift', amount: 0 });
    await shop.checkout({ offerKey: 'gift' });
    const { paymentId } = (await shop.checkout({ method: 'manual' })).body;
    await done(app, 'site/rejectManualPayment', { projectId: shop.projectId, paymentId });
    expect((await allSent(0)).map(({ mail }) => mail.text)).toEqual([expect.stringContaining('Last: 0.01 USD')]);
  });

  it('is mailed once for a payment at the processor, however often it is reported, and marks a test payment', async () => {
    await shop.connect();
    await done(app, 'site/setManualPayments', { projectId: shop.projectId, manualPayments: 'on' });
    await shop.offer();
    await last();
    const { paymentId } = (await shop.checkout()).body;
    const session = processor.of('checkout.session').find(({ client_reference_id: of }) => of === paymentId);
    const paid = processor.paid(session.id);
    await deliver(...paid, ...paid, ...paid);
    const [receipt] = await arrived(1);
    expect(receipt?.mail.text).toContain('Club: 10.00 USD');
    expect(receipt?.mail.text).toContain('no money was charged');
    await allSent(1);
  });

  it('waits for a member if it cannot be sent, and is deleted with its user', async () => {
    server.atRecipient = () => '550 5.1.1 no such user';
    await shop.offer();
    const { paymentId } = (await shop.checkout({ method: 'manual' })).body;
    await done(app, 'site/approveManualPayment', { projectId: shop.projectId, paymentId });
    const kept = async () => (await done(app, 'site/listOutgoingMail', { projectId: shop.projectId })).mails;
    expect(await eventually(kept, ([one]) => one?.status === 'kept')).toMatchObject([{ kind: 'receipt', link: null }]);
    server.willing();
    await done(app, 'site/deleteAppUser', { projectId: shop.projectId, userId: shop.userId });
    await eventually(kept, ({ length }) => length === 0);
  });
});
