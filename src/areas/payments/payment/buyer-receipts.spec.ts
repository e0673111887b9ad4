import { expect, it } from '@jest/globals';
import { BuyerReceipts } from './buyer-receipts.api.js';

const user = {
  id: 'usr_1',
  projectId: 'proj_1',
  email: 'victim@example.org',
  name: 'Your prize: https://evil.example',
};
const payment = { id: 'pay_1', offerName: 'Club', currency: 'usd', mode: 'live', couponCode: null, amount: 1_000 };
const approved = {
  type: 'SitePaymentApproved',
  stream: 'sitePayment-ws_1.pay_1',
  data: { amount: 1_000 },
  metadata: { at: '2026-01-02T03:04:05.000Z' },
};

it.each([
  ['is not greeted by a name that looks like a link', null, 'victim'],
  ['is greeted by any name once the email is verified', '2026-01-01T00:00:00.000Z', user.name],
])('the buyer of a receipt %s', async (_, emailVerifiedAt, userName) => {
  const sent: unknown[] = [];
  const receipts = new BuyerReceipts(
    { find: async () => payment } as never,
    { find: async () => ({ ...user, emailVerifiedAt }) } as never,
    { send: async (mail: unknown) => sent.push(mail) } as never,
  );
  await receipts.follow(approved as never, {} as never);
  expect(sent).toEqual([expect.objectContaining({ kind: 'receipt', to: user.email, userName })]);
});
