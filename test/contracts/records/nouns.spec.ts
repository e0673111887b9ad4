import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { slices } from '../../../src/areas/areas.slices.js';
import { allNouns } from '../../../src/kernel/noun/noun.js';
import { startApp, type TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { type NounRow, nounContract } from './noun.contract.js';

let app: TestApp;
let projectId = '';
let functionId = '';
beforeAll(async () => {
  app = await startApp();
  ({ id: projectId } = await done(app, 'site/createProject', { name: 'Nouns' }));
  ({ id: functionId } = await done(app, 'automations/createFunction', {
    name: 'Nouns',
    code: 'return 1',
  }));
}, 60_000);
afterAll(() => app.close());

let made = 0;
const next = () => ++made;
type Shown = Readonly<Record<string, unknown>>;

/** Finds the record in the list that an operation answers. */
const listedBy =
  (operation: string, by = 'id', input: () => object = () => ({}), within?: string) =>
  async (one: TestApp, { [by]: wanted }: Shown): Promise<Shown | undefined> => {
    const answer = await done(one, operation, input());
    const list: readonly Shown[] = within === undefined ? answer : answer[within];
    return list.find((record) => record[by] === wanted);
  };
const ofProject = () => ({ projectId });

/** One row for each noun. A noun without a row fails. */
const rows: Readonly<Record<string, NounRow>> = {
  base: {
    create: 'bases/createBase',
    update: 'bases/updateBase',
    smallest: () => ({ name: `Base ${next()}` }),
    shown: listedBy('bases/listBases'),
  },
  offer: {
    create: 'site/createOffer',
    update: 'site/updateOffer',
    // The entitlementKey is sent, because it defaults to the key.
    smallest: () => ({ projectId, key: `offer-${next()}`, name: 'Gold', amount: 1_990, entitlementKey: 'gold' }),
    naming: ({ key }) => ({ projectId, key }),
    shown: listedBy('site/listOffers', 'key', ofProject),
    values: {
      currency: { of: ['EUR', 'jpy'] },
      paymentTerm: {
        of: [
          { every: 1, interval: 'month' },
          { every: 2, interval: 'week', trialDays: 3 },
        ],
      },
      accessTerm: {
        of: [
          { for: 1, unit: 'month' },
          { for: 2, unit: 'year' },
        ],
      },
      imageUrl: { of: ['/images/gold.png', 'https://example.com/gold.png'] },
      features: { of: [['Mugs'], ['Mugs', 'Spoons']] },
    },
  },
  coupon: {
    create: 'site/createCoupon',
    update: 'site/updateCoupon',
    smallest: () => ({ projectId, code: `SPRING${next()}`, percentOff: 10 }),
    naming: ({ code }) => ({ projectId, code }),
    shown: listedBy('site/listCoupons', 'code', ofProject),
    values: { percentOff: { of: [1, 100] } },
    decided: {
      amountOff: 'It takes the place of percentOff.',
      currency: 'It is that of amountOff.',
    },
  },
  eventTrigger: {
    create: 'accountEvents/addEventTrigger',
    update: 'accountEvents/updateEventTrigger',
    smallest: () => ({ event: 'custom.sale', targetKind: 'account_function', targetRef: functionId }),
    shown: listedBy('accountEvents/listEventTriggers'),
    values: {
      event: { of: ['custom.sale', 'function.*'] },
      filters: { of: [[{ field: 'name', op: 'isNotEmpty' }], []] },
      targetKind: { of: ['account_function', 'flow'] },
      config: { of: [{ params: { a: 1 } }, {}] },
    },
    decided: { name: 'Left out, it is made of the event and the target.', targetRef: 'It has to be there.' },
  },
  siteRole: {
    create: 'site/createProjectRole',
    update: 'site/updateProjectRole',
    smallest: () => ({ projectId, name: `Role ${next()}` }),
    naming: ({ id }) => ({ roleId: id }),
    shown: listedBy('site/listProjectRoles', 'id', ofProject),
    values: { color: { of: ['#123456', '#abc'] } },
  },
  agent: {
    create: 'workspace/addAgent',
    update: 'workspace/updateAgent',
    smallest: () => ({ name: `Scout ${next()}` }),
    shown: listedBy('workspace/listAgents'),
    values: {
      grants: { of: [{ databaseIds: ['d1'] }, {}] },
      tools: { of: [[], ['automations_listFunctions']] },
      model: { of: ['small', null] },
    },
    decided: { memberId: 'Left out, it is the caller.' },
  },
  page: {
    create: 'site/createPage',
    update: 'site/updatePage',
    smallest: () => ({ projectId, name: 'Page', path: `/page-${next()}` }),
    shown: listedBy('site/listPages', 'id', ofProject),
    values: { path: { of: ['/one', '/two'] } },
    decided: {
      isHomePage: 'The home page is at /.',
      requiredRole: 'It is the id of a role.',
      sortOrder: 'A new page comes last.',
    },
  },
  component: {
    create: 'site/createComponent',
    update: 'site/updateComponent',
    smallest: () => ({ projectId, name: `Component${next()}` }),
    shown: listedBy('site/listComponents', 'id', ofProject),
  },
  emailTemplate: {
    create: 'site/createEmailTemplate',
    update: 'site/updateEmailTemplate',
    smallest: () => ({ projectId, name: 'Template', slug: `template-${next()}` }),
    shown: listedBy('site/listEmailTemplates', 'id', ofProject),
    values: {
      slug: { of: ['one', 'two'] },
      variables: { of: [[], [{ name: 'greeting', default: 'Hello' }]] },
    },
  },
  campaign: {
    create: 'site/createCampaign',
    update: 'site/updateCampaign',
    smallest: () => ({ projectId, name: 'News', subject: 'News', html: '<p>Hello</p>' }),
    naming: ({ id }) => ({ projectId, id }),
    shown: listedBy('site/listCampaigns', 'id', ofProject),
    values: {
      html: { of: ['<p>Hello</p>', '<p>Good day</p>'] },
      audienceRules: { of: [{ type: 'authenticated' }, [{ type: 'has_entitlement', key: 'course' }]] },
    },
  },
  chat: {
    create: 'site/createChat',
    update: 'site/renameChat',
    smallest: () => ({ type: 'app', title: `Chat ${next()}` }),
    naming: ({ id, type }) => ({ id, type }),
    shown: listedBy('site/listChats'),
    decided: { title: 'Renaming takes it alone, and answers it alone.' },
  },
  member: {
    create: 'workspace/addMember',
    update: 'workspace/updateMember',
    smallest: () => ({ name: 'Grace', email: `grace-${next()}@example.com`, role: 'editor' }),
    shown: listedBy('workspace/listMembers', 'id', undefined, 'members'),
    values: {
      email: { of: ['ada@example.com', 'ida@example.com'] },
      permissions: { of: [['site.publish'], ['site.publish', 'audit.read']] },
    },
  },
};

describe('nouns', () => {
  it('have exactly one row each', () => {
    expect(slices.length).toBeGreaterThan(0);
    expect(
      allNouns()
        .map(({ category }) => category)
        .sort(),
    ).toEqual(Object.keys(rows).sort());
  });
});

for (const noun of allNouns()) {
  const row = rows[noun.category];
  if (row !== undefined) nounContract(() => app, noun, row);
}
