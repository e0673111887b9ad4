/** The members of a site that need a power of the function (Automations API, Powers). */
export const sitesMembersNames = [
  'users.list',
  'users.get',
  'users.update',
  'users.ban',
  'entitlements.list',
  'entitlements.grant',
  'entitlements.revoke',
] as const;

export type SitesMemberName = (typeof sitesMembersNames)[number];
