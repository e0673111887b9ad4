import { afterAll, beforeAll } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { plainRecordContract, type RecordKind } from './plain-record.contract.js';

let app: TestApp;
let fn = '';
let otherFn = '';
beforeAll(async () => {
  app = await startApp();
  [fn, otherFn] = [await activeFunction(app, 'return 1'), await activeFunction(app, 'return 2')];
}, 60_000);
afterAll(() => app.close());

let made = 0;
const next = () => ++made;
const target = () => ({ targetKind: 'account_function', targetRef: fn });
const switchedOff = [() => ({ isActive: false })] as const;

const kinds: readonly RecordKind[] = [
  {
    kind: 'member',
    missing: 'member-not-found',
    create: 'workspace/addMember',
    change: 'workspace/updateMember',
    remove: 'workspace/removeMember',
    list: { operation: 'workspace/listMembers', in: 'members' },
    valid: () => ({ name: 'Grace', email: `grace-${next()}@example.com`, role: 'editor' }),
    changes: [[() => ({ name: 'Ada' })], [() => ({ role: 'viewer', permissions: ['site.publish', 'audit.read'] })]],
    invalid: [
      [{ name: undefined }, 'name'],
      [{ name: 'x\ny' }, 'name'],
      [{ email: undefined }, 'email'],
      [{ email: 'x' }, 'email'],
      [{ email: 'x@example.com\r\nBcc: y@example.com' }, 'email'],
      [{ role: undefined }, 'role'],
      [{ role: 'owner' }, 'role'],
      [{ permissions: ['keys.manage'] }, 'permissions'],
      [{ permissions: null }, 'permissions'],
    ],
    unique: { field: 'email', taken: 'member-email-taken' },
  },
  {
    kind: 'agent',
    missing: 'agent-not-found',
    create: 'workspace/addAgent',
    change: 'workspace/updateAgent',
    remove: 'workspace/removeAgent',
    list: { operation: 'workspace/listAgents' },
    valid: () => ({ name: 'Scout', grants: { databaseIds: ['d1'] } }),
    changes: [
      [() => ({ name: 'Rex' })],
      [() => ({ grants: {} })],
      [() => ({ canCreateFunctions: true, isActive: false })],
      [() => ({ instructions: 'Sort the mail.', model: 'small', tools: ['automations_listFunctions'] })],
    ],
    invalid: [
      [{ name: undefined }, 'name'],
      [{ name: '\t' }, 'name'],
      [{ grants: [] }, 'grants'],
      [{ grants: { bases: 'all' } }, 'grants.bases'],
      [{ grants: { bases: [{ projectId: 1 }] } }, 'grants.bases[0].projectId'],
      [{ grants: { everything: true } }, 'grants.everything'],
      [{ canCreateFunctions: 'true' }, 'canCreateFunctions'],
    ],
  },
  {
    kind: 'eventTrigger',
    missing: 'event-trigger-not-found',
    create: 'accountEvents/addEventTrigger',
    change: 'accountEvents/updateEventTrigger',
    remove: 'accountEvents/removeEventTrigger',
    list: { operation: 'accountEvents/listEventTriggers' },
    valid: () => ({ event: 'custom.paid', ...target(), name: 'Mine', config: { params: { a: 1 } } }),
    changes: [
      [() => ({ name: 'Yours' })],
      [() => ({ event: 'custom.sent', filters: [{ field: 'a', op: 'eq', value: 1 }] })],
      [() => ({ config: {} })],
      switchedOff,
    ],
    invalid: [
      [{ event: 'nonsense.*' }, 'event'],
      [{ targetKind: 'person' }, 'targetKind'],
      [{ filters: [{ field: 'a', op: 'no' }] }, 'filters[0].op'],
      [{ config: { more: 1 } }, 'config.more'],
      [{ name: '' }, 'name'],
    ],
  },
  {
    kind: 'schedule',
    missing: 'schedule-not-found',
    create: 'automations/createSchedule',
    change: 'automations/setScheduleActive',
    remove: 'automations/deleteSchedule',
    list: { operation: 'automations/listTriggers', input: () => ({ functionId: fn }), in: 'schedules' },
    valid: () => ({ functionId: fn, cronExpression: '0 2 1 1 *' }),
    changes: [[() => ({ isActive: false }), { nextTrigger: null }]],
    invalid: [
      [{ functionId: undefined }, 'functionId'],
      [{ cronExpression: '@hourly' }, 'cronExpression'],
      [{ cronExpression: 5 }, 'cronExpression'],
      [{ timezone: 'Mars/Olympus' }, 'timezone'],
      [{ overlap: 'queue' }, 'overlap'],
    ],
  },
  {
    kind: 'webhook',
    missing: 'webhook-not-found',
    create: 'automations/createWebhook',
    onlyAnswered: 'url',
    change: 'automations/setWebhookActive',
    remove: 'automations/deleteWebhook',
    list: { operation: 'automations/listTriggers', input: () => ({ functionId: fn }), in: 'webhooks' },
    valid: () => ({ functionId: fn }),
    changes: [switchedOff],
    invalid: [
      [{ functionId: undefined }, 'functionId'],
      [{ functionId: '' }, 'functionId'],
      [{ kind: 'nobody' }, 'kind'],
    ],
  },
  {
    kind: 'mailhook',
    missing: 'mailhook-not-found',
    create: 'automations/createMailhook',
    change: 'automations/updateMailhook',
    remove: 'automations/deleteMailhook',
    list: { operation: 'automations/listMailhooks', in: 'mailhooks' },
    valid: () => ({ name: 'Orders', ...target() }),
    changes: [
      [() => ({ name: 'Bills' })],
      [() => ({ targetKind: 'account_function', targetRef: otherFn })],
      [() => ({ projectId: null, isActive: false })],
    ],
    invalid: [
      [{ name: '' }, 'name'],
      [{ targetKind: 'person' }, 'targetKind'],
      [{ targetRef: undefined }, 'targetRef'],
    ],
  },
  {
    kind: 'mailAccount',
    missing: 'mail-account-not-found',
    create: 'automations/createMailAccount',
    change: 'automations/updateMailAccount',
    remove: 'automations/deleteMailAccount',
    list: { operation: 'automations/listMailAccounts' },
    valid: () => ({
      name: `mailbox ${next()}`,
      fromAddress: 'robot@example.com',
      host: 'smtp.example.com',
      username: 'robot',
      password: 'correct horse battery staple',
      isDefault: false,
    }),
    changes: [
      [() => ({ name: `renamed ${next()}` })],
      [() => ({ fromName: 'Robot', hourlyLimit: 5, replyTo: 'desk@example.com' })],
      [() => ({ fromAddress: 'other@example.com', isActive: false })],
    ],
    invalid: [
      [{ name: 'two\nlines' }, 'name'],
      [{ fromAddress: 'nobody' }, 'fromAddress'],
      [{ host: 'smtp.example.com:25' }, 'host'],
      [{ port: 65_536 }, 'port'],
      [{ secure: 'yes' }, 'secure'],
      [{ password: undefined }, 'password'],
      [{ password: 'zero\0byte' }, 'password'],
      [{ hourlyLimit: 0 }, 'hourlyLimit'],
    ],
    unique: { field: 'name', taken: 'mail-account-name-taken' },
  },
];

for (const kind of kinds) plainRecordContract(() => app, kind);
