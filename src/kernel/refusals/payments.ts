/** What offers, coupons, payments and entitlements refuse. */
export const paymentsRefusals = {};
